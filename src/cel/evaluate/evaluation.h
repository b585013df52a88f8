#pragma once

#include <algorithm>
#include <vector>

#include "cel/evaluate/program.h"
#include "cel/values/context.h"

namespace proa::cel {

// One evaluation of a program, on one thread. Errors are values: the operators decide what becomes
// of them. Memory comes from the arena.
class Evaluation {
 public:
  Evaluation(const Program& program, std::span<const Value> variables, Arena& arena,
             uint64_t cost_limit, Budget* budget);

  Outcome run();

 private:
  // A local variable; an accumulator gets its first value when it is read for the first time.
  struct Slot {
    Value value;
    const Node* initial = nullptr;
  };

  // `reads`: a branch of a conditional, or a key, where has() reads as upstream's does.
  Value evaluate(const Node& node, bool reads = false);
  Value evaluate_child(const Node& node, uint32_t index);
  Value dispatch(const Node& node);
  Value local(const Node& node);
  Value select(const Node& node);
  std::optional<Value> member(const Value& map, const Value& key);
  Value qualify(const Value& object, const Value& key, bool if_present);
  // `reads`: of an optional, what is there instead of whether it is.
  Value has(const Node& node, bool reads);
  Value logical(const Node& node, bool decisive);
  Value conditional(const Node& node);
  Value equality(const Node& node, bool wanted);
  Value optional_or(const Node& node, bool unwrap);
  Value in_set(const Node& node);
  Value call(const Node& node);
  Value invoke(const CallSite& site, std::span<const Value> args);
  Value no_overload(const CallSite& site, std::span<const Value> args);
  Value list(const Node& node);
  Value map(const Node& node);
  Value structure(const Node& node);
  Value loop(const Node& node);
  bool iterate(const Node& node);

  // What ends after the limit was exceeded costs nothing more: upstream has left it already.
  void charge(uint64_t cost) {
    if (cancelled_) return;
    cost_ += cost;
    cancelled_ = cost_ > limit_;
    if (cost_ >= next_look_) [[unlikely]]
      look();
  }
  // The arena takes memory in blocks: mostly there is nothing to do.
  void check_memory() {
    if (context_.arena().reserved() > memory_seen_) [[unlikely]]
      account_memory();
  }
  void account_memory();
  // At the time.
  void look();
  // Comparing lists and maps can take long at a small cost: looks are due sooner.
  void hurry(const Value& value) {
    if (!value.is(ValueKind::kList) && !value.is(ValueKind::kMap)) return;
    next_look_ -= std::min(next_look_, kCostPerLook / 20);
  }
  const Node& child(const Node& node, uint32_t index) const {
    return program_.nodes_[program_.children_[node.first + index]];
  }

  // A cost of one takes some tens of bytes: an error, a node of a document.
  static constexpr size_t kMostMemory = size_t{32} << 20;
  // Some milliseconds.
  static constexpr uint64_t kCostPerLook = 10'000;

  const Program& program_;
  std::span<const Value> variables_;
  Context context_;
  std::span<Slot> slots_;
  uint64_t cost_ = 0;
  uint64_t limit_;
  uint64_t next_look_ = kCostPerLook;
  size_t memory_before_;
  size_t memory_seen_;
  Budget* budget_;
  bool cancelled_ = false;
};

}  // namespace proa::cel
