#include "scheduler/framework/rejection_tally.h"

#include <algorithm>

#include "base/check.h"

namespace proa::scheduler {

void RejectionTally::add(const Rejection& rejection, size_t nodes) {
  if (rejection.plugin == nullptr || nodes == 0) return;
  for (Line& line : lines_) {
    if (line.rejection != rejection) continue;
    line.nodes += nodes;
    return;
  }
  lines_.push_back({.rejection = rejection, .nodes = nodes});
}

void RejectionTally::remove(const Rejection& rejection) {
  if (rejection.plugin == nullptr) return;
  const auto found = std::find_if(lines_.begin(), lines_.end(),
                                  [&](const Line& line) { return line.rejection == rejection; });
  CHECK(found != lines_.end());
  if (--found->nodes > 0) return;
  *found = lines_.back();
  lines_.pop_back();
}

size_t RejectionTally::count(Code code) const {
  size_t nodes = 0;
  for (const Line& line : lines_) {
    if (line.rejection.verdict.code == code) nodes += line.nodes;
  }
  return nodes;
}

}  // namespace proa::scheduler
