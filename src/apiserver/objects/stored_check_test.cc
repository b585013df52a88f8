#include "apiserver/objects/stored_check.h"

#include <gtest/gtest.h>

#include "api/schema/builtin.h"

namespace proa::apiserver {
namespace {

store::EntryPtr entry(std::string_view key, std::string_view value) {
  return store::Entry::make(key, value,
                            {.mod_revision = {7}, .create_revision = {7}, .version = 1});
}

constexpr std::string_view kKey = "/registry/configmaps/default/a";
constexpr std::string_view kRest = R"("metadata":{"name":"a","namespace":"default",)"
                                   R"("resourceVersion":"7"},"data":{"x":"1"}})";

TEST(StoredCheck, FindsObjectsWithoutTheirKind) {
  const std::string rest(kRest);
  const struct {
    std::string_view key;
    std::string value;
    std::optional<std::string> problem;
  } cases[] = {
      {kKey, R"({"kind":"ConfigMap","apiVersion":"v1",)" + rest, std::nullopt},
      {kKey, R"({"apiVersion":"v1",)" + rest,
       "/registry/configmaps/default/a has kind none instead of \"ConfigMap\""},
      {kKey, R"({"kind":"ConfigMap",)" + rest,
       "/registry/configmaps/default/a has apiVersion none instead of \"v1\""},
      {kKey, R"({"kind":"Bogus","apiVersion":"v1",)" + rest,
       "/registry/configmaps/default/a has kind \"Bogus\" instead of \"ConfigMap\""},
      {kKey, "[1]", "/registry/configmaps/default/a is not a JSON object"},
      {kKey, "{", "/registry/configmaps/default/a is not a JSON object"},
      // Of no resource: not ours to judge.
      {"/registry/configmaps", "{", std::nullopt},
      {"/proa/leader", "{", std::nullopt},
      // A prefix within another one.
      {"/registry/services/endpoints/default/a",
       R"({"kind":"Endpoints","apiVersion":"v1","metadata":{"name":"a"}})", std::nullopt},
  };
  for (const auto& c : cases) {
    EXPECT_EQ(stored_problem(*entry(c.key, c.value), api::builtin_schema()), c.problem) << c.value;
  }
}

TEST(StoredCheck, RepairsThem) {
  const std::string rest(kRest);
  for (const std::string& broken : {R"({"apiVersion":"v1",)" + rest, "{" + rest,
                                    R"({"kind":"Bogus","apiVersion":"x/y",)" + rest}) {
    const auto text = repaired_text(*entry(kKey, broken), api::builtin_schema());
    ASSERT_TRUE(text.ok()) << text.status().message();
    EXPECT_EQ(text->at("8"), R"({"kind":"ConfigMap","apiVersion":"v1","metadata":{"name":"a",)"
                             R"("namespace":"default","resourceVersion":"8"},"data":{"x":"1"}})");
  }
  EXPECT_FALSE(repaired_text(*entry(kKey, "[1]"), api::builtin_schema()).ok());
  EXPECT_FALSE(repaired_text(*entry(kKey, R"({"data":5})"), api::builtin_schema()).ok());
}

}  // namespace
}  // namespace proa::apiserver
