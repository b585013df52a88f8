#include "lab/plan/wish.h"

#include <gtest/gtest.h>

namespace proa::lab {
namespace {

TEST(Wish, IsReadBackAsItWasPrinted) {
  const Wish wish{.name = "blue",
                  .nodes = 5,
                  .server_apart = true,
                  .topology = Topology::kRouted,
                  .families = Families::kDual,
                  .server_flags = {"--max-pods=20", "--audit-log-path=/x y"},
                  .node_flags = {"--max-pods=20"}};
  const Result<Wish> read = parse_wish(print_wish(wish));
  ASSERT_TRUE(read.ok()) << read.status().message();
  EXPECT_EQ(*read, wish);
}

TEST(Wish, IsRefusedIfItIsNotOne) {
  for (const char* text : {"", "{}", "[]", R"({"name":"a"})", R"({"name":"a","nodes":3})",
                           R"({"name":"a","nodes":0,"topology":"routed","families":"ipv4"})",
                           R"({"name":"a","nodes":51,"topology":"routed","families":"ipv4"})",
                           R"({"name":"a/b","nodes":1,"topology":"routed","families":"ipv4"})",
                           R"({"name":"a","nodes":1,"topology":"ring","families":"ipv4"})",
                           R"({"name":"a","nodes":1,"topology":"routed","families":"ipx"})"}) {
    EXPECT_FALSE(parse_wish(text).ok()) << text;
  }
}

TEST(LabName, IsAPlainWord) {
  for (const char* name : {"lab", "a", "two-labs", "7"}) EXPECT_TRUE(check_lab_name(name)) << name;
  for (const char* name :
       {"", "-a", "a-", "A", "a.b", "../a", "a b", "äh", "a-name-of-more-than-thirty-bytes"}) {
    EXPECT_FALSE(check_lab_name(name)) << name;
  }
}

}  // namespace
}  // namespace proa::lab
