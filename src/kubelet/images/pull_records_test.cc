#include "kubelet/images/pull_records.h"

#include <gtest/gtest.h>

namespace proa::kubelet {
namespace {

PullKey key(const std::string& secret, const std::string& hash) {
  PullKey made;
  made.secret_name = secret;
  made.hash = hash;
  return made;
}

TEST(PullRecords, OpenImagesToThoseWhoCouldPullThem) {
  PullRecords records;
  EXPECT_TRUE(records.may_use("preloaded", "r", {}));
  const PullKey used = key("a", "1");
  records.pulled("image", "r", &used);
  EXPECT_TRUE(records.is_ours("image"));
  EXPECT_FALSE(records.may_use("image", "r", {}));
  EXPECT_FALSE(records.may_use("image", "r", {key("b", "2")}));
  EXPECT_TRUE(records.may_use("image", "r", {key("b", "2"), key("b", "1")}));  // same credentials
  EXPECT_TRUE(records.may_use("image", "r", {key("a", "3")}));                 // same secret
  EXPECT_FALSE(records.may_use("image", "elsewhere", {used}));
  records.pulled("image", "r", nullptr);
  EXPECT_TRUE(records.may_use("image", "r", {}));
  records.keep_only({});
  EXPECT_FALSE(records.is_ours("image"));
}

}  // namespace
}  // namespace proa::kubelet
