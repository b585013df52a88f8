#include "apiserver/resources/managed/managed.h"

#include <gtest/gtest.h>

#include "json/parse.h"
#include "json/print.h"

namespace proa::apiserver {
namespace {

TEST(ManagerOfAgent, IsThePrintableProgram) {
  EXPECT_EQ(manager_of_agent("kubectl/v1.36.4 (linux/amd64) kubernetes/abc"), "kubectl");
  EXPECT_EQ(manager_of_agent("curl"), "curl");
  EXPECT_EQ(manager_of_agent(""), "");
  EXPECT_EQ(manager_of_agent("a\tb\x01/1"), "ab");
  EXPECT_EQ(manager_of_agent(std::string(127, 'x') + "\u00e9y"), std::string(127, 'x'));
}

TEST(KeepManagerTimes, IfNothingElseDiffers) {
  const auto kept = [](std::string_view object, std::string_view old) {
    json::Document changed = json::parse_literal(object);
    const json::Document before = json::parse_literal(old);
    keep_manager_times(api::Edit(changed), before.root());
    return json::print(changed.root());
  };
  constexpr std::string_view kOld =
      R"({"metadata":{"name":"a","managedFields":[{"manager":"m","time":"1"}]},"data":{"x":"1"}})";
  EXPECT_EQ(
      kept(
          R"({"metadata":{"name":"a","managedFields":[{"manager":"m","time":"2"}]},"data":{"x":"1"}})",
          kOld),
      kOld);
  for (
      const std::string_view changed :
      {R"({"metadata":{"name":"a","managedFields":[{"manager":"m","time":"2"}]},"data":{"x":"2"}})",
       R"({"metadata":{"name":"b","managedFields":[{"manager":"m","time":"2"}]},"data":{"x":"1"}})",
       R"({"metadata":{"name":"a","managedFields":[{"manager":"n","time":"2"}]},"data":{"x":"1"}})",
       R"({"metadata":{"name":"a"},"data":{"x":"1"}})"}) {
    EXPECT_EQ(kept(changed, kOld), changed);
  }
}

}  // namespace
}  // namespace proa::apiserver
