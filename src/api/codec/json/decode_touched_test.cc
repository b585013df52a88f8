#include "api/codec/json/decode_touched.h"

#include <gtest/gtest.h>

#include "api/schema/builtin.h"
#include "json/parse.h"
#include "json/print.h"

namespace proa::api {
namespace {

TEST(DecodeTouched, LooksOnlyAtWhatWasTouched) {
  const Type& pod = *builtin_schema().find_kind("v1", "Pod");
  const auto decode = [&](std::span<const std::string_view> touched) {
    // Neither part is in the order of the type, and both have a field that it does not know.
    auto document = json::parse(
        R"({"status":{"x":1,"reason":"r","phase":"Failed"},"spec":{"y":1,"nodeName":"n"},"z":1})");
    const auto result =
        decode_touched(std::move(*document), pod, FieldValidation::kIgnore, touched);
    return result.ok() ? json::print(result->document.root()) : result.status().message();
  };
  constexpr std::string_view kStatus[] = {"status"};
  EXPECT_EQ(
      decode(kStatus),
      R"({"metadata":{},"spec":{"y":1,"nodeName":"n"},"status":{"phase":"Failed","reason":"r"}})");
  EXPECT_EQ(
      decode({}),
      R"({"metadata":{},"spec":{"containers":null,"nodeName":"n"},"status":{"phase":"Failed","reason":"r"}})");
}

TEST(DecodeTouched, LooksAtSomeMembersOfAMember) {
  const Type& pod = *builtin_schema().find_kind("v1", "Pod");
  const auto decode = [&](std::span<const std::string_view> touched) {
    // The container has an unknown field: members that were not touched are not checked.
    auto document = json::parse(
        R"({"spec":{"hostname":"h","nodeName":"n","containers":[{"y":1}],"x":1},"status":{"x":1}})");
    const auto result =
        decode_touched(std::move(*document), pod, FieldValidation::kIgnore, touched);
    return result.ok() ? json::print(result->document.root()) : result.status().message();
  };
  constexpr std::string_view kNode[] = {"metadata", "spec.nodeName"};
  EXPECT_EQ(
      decode(kNode),
      R"({"metadata":{},"spec":{"containers":[{"y":1}],"nodeName":"n","hostname":"h"},"status":{"x":1}})");
  // A name that begins like another is another.
  constexpr std::string_view kOther[] = {"spec.node", "spe", "statuses"};
  EXPECT_EQ(
      decode(kOther),
      R"({"metadata":{},"spec":{"containers":[{"y":1}],"nodeName":"n","hostname":"h"},"status":{"x":1}})");
  constexpr std::string_view kBoth[] = {"spec.nodeName", "spec"};
  EXPECT_EQ(
      decode(kBoth),
      R"({"metadata":{},"spec":{"containers":[{"name":"","resources":{}}],"nodeName":"n","hostname":"h"},"status":{"x":1}})");
}

}  // namespace
}  // namespace proa::api
