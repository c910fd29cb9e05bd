// FrameColumn: one column of a data frame or array, ready to be read row by row: numbers where they
// lie, or for each row the index of its value among the column's distinct ones.
#pragma once
#include <cstddef>
#include <cstring>
#include <vector>

#include "record.hpp"

namespace streambayes {

struct FrameColumn {
    Value name;
    uint8_t kind = KIND_UNDECIDED;  // numeric or nominal; undecided: nothing in it counts
    int32_t attribute = -1;         // its code in the schema; -1 while it was never learned
    const char *data = nullptr;     // numeric: doubles; nominal: int32 indices, -1 where missing
    ptrdiff_t stride = 0;           // bytes from row to row
    std::vector<Value> values;      // nominal: the distinct values ...
    std::vector<int32_t> codes;     // ... and their codes in the schema, UNSEEN while they have none

    double number(size_t row) const {
        double x;
        std::memcpy(&x, data + ptrdiff_t(row) * stride, sizeof x);
        return x;
    }
    int32_t index(size_t row) const {
        int32_t i;
        std::memcpy(&i, data + ptrdiff_t(row) * stride, sizeof i);
        return i;
    }
};

}  // namespace streambayes
