#include "cel/types/type.h"

#include <gtest/gtest.h>

namespace proa::cel {
namespace {

TEST(Type, IsPrintedAsItIsWritten) {
  TypeArena types;
  for (const char* text : {"int", "list(string)", "map(string, list(dyn))", "optional_type(int)",
                           "type(int)", "kubernetes.Quantity", "null", "timestamp"}) {
    const Type* type = types.parse(text);
    ASSERT_NE(type, nullptr) << text;
    EXPECT_EQ(print_type(*type), text);
  }
}

TEST(Type, RefusesMalformedText) {
  TypeArena types;
  for (const char* text : {"", "list(", "list()", "map(int,)", "int)", "list(int) x("}) {
    EXPECT_EQ(types.parse(text), nullptr) << text;
  }
}

TEST(Type, IsTheSameByStructure) {
  TypeArena types;
  EXPECT_TRUE(same_type(*types.parse("map(int, list(A))"), *types.parse("map(int, list(A))")));
  EXPECT_FALSE(same_type(*types.parse("list(A)"), *types.parse("list(B)")));
  EXPECT_FALSE(same_type(*types.parse("list(int)"), *types.parse("list(uint)")));
}

TEST(Type, HasAnotherNameAtRunTime) {
  EXPECT_EQ(runtime_name(types::kTimestamp), "google.protobuf.Timestamp");
  EXPECT_EQ(runtime_name(types::kNull), "null_type");
}

}  // namespace
}  // namespace proa::cel
