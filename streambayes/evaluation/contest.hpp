// A record that several learners have answered and whose label has yet to come (--delay).
#pragma once
#include <deque>
#include <vector>

#include "records/record.hpp"

namespace streambayes {

struct Answered {
    Record record;
    std::vector<int32_t> predicted;
    std::vector<double> p_true;
};

typedef std::deque<Answered> AnsweredQueue;

}  // namespace streambayes
