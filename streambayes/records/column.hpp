// Column: the part that a column of a stream plays. Field: one cell of the latest record.
#pragma once
#include <string>

#include "record.hpp"

namespace streambayes {

struct Column {
    std::string name;
    uint8_t role = ROLE_ATTRIBUTE;
    uint8_t kind = KIND_UNDECIDED;
    int32_t attribute = -1;
    bool strict = false;
    Vocabulary declared;
};

enum CellState : uint8_t { CELL_MISSING = 0, CELL_NON_FINITE = 1, CELL_NUMBER = 2, CELL_VALUE = 3, CELL_ABSENT = 4 };

struct Field {
    const char *data = nullptr;
    uint32_t size = 0;
    uint8_t tag = TAG_STRING;
    bool quoted = false;
    double x = 0;
    uint8_t cell = CELL_ABSENT;
};

}  // namespace streambayes
