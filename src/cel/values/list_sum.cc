#include "cel/values/list_sum.h"

#include <algorithm>
#include <new>

#include "cel/values/collections.h"
#include "cel/values/typed.h"

namespace proa::cel {
namespace list_sum {

bool is_inner(const Value& list) { return list.is_sum() && list.as_sum()->adopts == nullptr; }

uint32_t height(const Value& list) { return is_inner(list) ? list.as_sum()->height : 0; }

ListSum* allocate(Arena& arena, const ListSum& sum) {
  return new (arena.allocate(sizeof(ListSum), alignof(ListSum))) ListSum(sum);
}

Value node(Arena& arena, const Value& left, const Value& right) {
  return Value::sum(allocate(arena, {.left = left,
                                     .right = right,
                                     .shape = nullptr,
                                     .adopts = nullptr,
                                     .arena = &arena,
                                     .height = 1 + std::max(height(left), height(right))}),
                    left.size() + right.size());
}

// The right side may be higher by two.
Value balanced_left(Arena& arena, const Value& left, const Value& right) {
  if (height(right) <= height(left) + 1) return node(arena, left, right);
  const ListSum& high = *right.as_sum();
  if (height(high.left) <= height(high.right)) {
    return node(arena, node(arena, left, high.left), high.right);
  }
  const ListSum& middle = *high.left.as_sum();
  return node(arena, node(arena, left, middle.left), node(arena, middle.right, high.right));
}

Value balanced_right(Arena& arena, const Value& left, const Value& right) {
  if (height(left) <= height(right) + 1) return node(arena, left, right);
  const ListSum& high = *left.as_sum();
  if (height(high.right) <= height(high.left)) {
    return node(arena, high.left, node(arena, high.right, right));
  }
  const ListSum& middle = *high.right.as_sum();
  return node(arena, node(arena, high.left, middle.left), node(arena, middle.right, right));
}

// As AVL trees are joined: the lower one goes where the other one has its height.
Value joined(Arena& arena, const Value& left, const Value& right) {
  if (height(left) > height(right) + 1) {
    const ListSum& high = *left.as_sum();
    return balanced_left(arena, high.left, joined(arena, high.right, right));
  }
  if (height(right) > height(left) + 1) {
    const ListSum& high = *right.as_sum();
    return balanced_right(arena, joined(arena, left, high.left), high.right);
  }
  return node(arena, left, right);
}

}  // namespace list_sum

Value sum_of_lists(Arena& arena, const Value& left, const Value& right, const Shape* shape) {
  const Value sum = list_sum::joined(arena, left, right);
  // The topmost node was made just now.
  const_cast<ListSum*>(sum.as_sum())->shape = shape;
  return sum;
}

Value adopting(Arena& arena, const Value& list, const Shape& element) {
  return Value::sum(list_sum::allocate(arena, {.left = {},
                                               .right = list,
                                               .shape = nullptr,
                                               .adopts = &element,
                                               .arena = &arena,
                                               .height = 0}),
                    list.size());
}

Value sum_item(const Value& list, uint32_t index) {
  const Value* at = &list;
  while (list_sum::is_inner(*at)) {
    const ListSum& sum = *at->as_sum();
    const bool is_left = index < sum.left.size();
    if (!is_left) index -= sum.left.size();
    at = is_left ? &sum.left : &sum.right;
  }
  if (!at->is_sum()) return list_item(*at, index);
  const ListSum& sum = *at->as_sum();
  return adopted(*sum.arena, list_item(sum.right, index), *sum.adopts);
}

}  // namespace proa::cel
