// A record that was predicted and whose label has yet to come (--delay).
#pragma once
#include <deque>

#include "records/record.hpp"

namespace streambayes {

struct Pending {
    Record record;
    int32_t predicted = -1;
    double p_true = 0;
    long file_number = 0;  // where the record stands ...
    size_t offset = 0;     // ... for a run that is taken up again
    size_t line = 0;
};

typedef std::deque<Pending> PendingQueue;
typedef std::deque<Record> RecordQueue;

}  // namespace streambayes
