// A record that was predicted and whose label has yet to come (--delay).
#pragma once
#include <deque>

#include "records/record.hpp"

namespace streambayes {

struct Pending {
    Record record;
    int32_t predicted = -1;
    double p_true = 0;
};

typedef std::deque<Pending> PendingQueue;

}  // namespace streambayes
