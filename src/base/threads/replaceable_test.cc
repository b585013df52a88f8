#include "base/threads/replaceable.h"

#include <gtest/gtest.h>

namespace proa {
namespace {

TEST(Replaceable, UsersKeepWhatTheyBeganWith) {
  Replaceable<int> number(std::make_shared<int>(1));
  std::shared_ptr<int> used = number.get();
  const std::weak_ptr<int> first = used;
  number.replace(std::make_shared<int>(2));
  EXPECT_EQ(*used, 1);
  EXPECT_EQ(*number.get(), 2);
  EXPECT_EQ(number.all().size(), 2u);
  number.release_former();
  EXPECT_FALSE(first.expired());
  used.reset();
  EXPECT_FALSE(first.expired()) << "a user must not destroy it";
  number.release_former();
  EXPECT_TRUE(first.expired());
  EXPECT_EQ(number.all().size(), 1u);
}

TEST(Replaceable, ReplacingReleasesWhatNobodyUses) {
  Replaceable<int> number(std::make_shared<int>(1));
  const std::weak_ptr<int> first = number.get();
  for (int i = 2; i < 5; ++i) number.replace(std::make_shared<int>(i));
  EXPECT_TRUE(first.expired());
  EXPECT_EQ(number.all().size(), 2u);
}

}  // namespace
}  // namespace proa
