#include "scheduler/plugins/affinity/shape_memo.h"

#include <gtest/gtest.h>

namespace proa::scheduler {
namespace shape_memo_test {

ShapePtr make_shape(int32_t priority) {
  return std::make_shared<const PodShape>(PodShape{.priority = priority});
}

// A memo of priorities, and how often one had to be looked up.
struct Memo {
  int32_t of(const ShapePtr& shape) {
    return memo.get(shape, [this](const PodShape& one) {
      ++worked;
      return one.priority;
    });
  }
  ShapeMemo<int32_t> memo = {};
  int worked = 0;
};

TEST(ShapeMemo, WorksOutEachShapeOnce) {
  Memo memo;
  std::vector<ShapePtr> shapes;
  for (int i = 0; i < 1000; ++i) shapes.push_back(make_shape(i));
  for (int round = 0; round < 3; ++round) {
    for (int i = 0; i < 1000; ++i) {
      ASSERT_EQ(memo.of(shapes[i]), i);
      ASSERT_EQ(memo.of(shapes[i]), i);
      ASSERT_EQ(memo.of(shapes[i / 2]), i / 2);
    }
  }
  EXPECT_EQ(memo.worked, 1000);
}

TEST(ShapeMemo, ForgetsWhenItHasTooMany) {
  Memo memo;
  for (int i = 0; i < 20'000; ++i) ASSERT_EQ(memo.of(make_shape(i)), i);
  EXPECT_EQ(memo.worked, 20'000);
  EXPECT_LE(memo.memo.size(), 4096u);
}

TEST(ShapeMemo, KeepsShapesAliveSoThatAddressesStayTheirs) {
  Memo memo;
  ShapePtr shape = make_shape(1);
  const std::weak_ptr<const PodShape> watched = shape;
  memo.of(shape);
  shape.reset();
  EXPECT_FALSE(watched.expired());
}

}  // namespace shape_memo_test
}  // namespace proa::scheduler
