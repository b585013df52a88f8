#include "apiserver/access/admission/kept_managers.h"

#include <gtest/gtest.h>

#include "apiserver/request/request.h"
#include "json/parse.h"
#include "json/print.h"

namespace proa::apiserver {
namespace {

std::string with_managers(std::string_view managers) {
  return R"({"metadata":{"name":"a")" +
         (managers.empty() ? std::string() : R"(,"managedFields":)" + std::string(managers)) + "}}";
}

constexpr std::string_view kGood =
    R"([{"manager":"m","operation":"Update","apiVersion":"v1","fieldsType":"FieldsV1",)"
    R"("fieldsV1":{"f:data":{}}}])";
constexpr std::string_view kOther =
    R"([{"manager":"n","operation":"Apply","apiVersion":"v1","fieldsType":"FieldsV1",)"
    R"("fieldsV1":{"f:data":{}}}])";
constexpr std::string_view kBroken = R"([{"manager":"m","operation":"x"}])";

class KeptManagersTest : public testing::Test {
 protected:
  // What `after` becomes if it replaces `before`.
  std::string restored(std::string_view before, std::string_view after) {
    warnings.clear();
    KeptManagers kept;
    const json::Document old = json::parse_literal(with_managers(before));
    kept.keep(old.root());
    const json::Document damaged = json::parse_literal(with_managers(kBroken));
    kept.keep(damaged.root());  // the first one counts
    json::Document object = json::parse_literal(with_managers(after));
    Request request;
    request.warnings = &warnings;
    kept.restore(api::Edit(object), request);
    return json::print(object.root());
  }

  Warnings warnings;
};

TEST_F(KeptManagersTest, AreRestoredIfTheyCannotBeRead) {
  EXPECT_EQ(restored(kGood, kBroken), with_managers(kGood));
  EXPECT_EQ(warnings,
            Warnings{".metadata.managedFields was in an invalid state after admission; this could "
                     "be caused by an outdated mutating admission controller; please fix your "
                     "requests: operation must be `Apply` or `Update`"});
  EXPECT_EQ(restored("", kBroken), with_managers(""));
  EXPECT_EQ(warnings.size(), 1U);
}

TEST_F(KeptManagersTest, MayBeChangedAndRemoved) {
  for (const std::string_view after : {kGood, kOther, std::string_view("[]"), std::string_view()}) {
    EXPECT_EQ(restored(kGood, after), with_managers(after));
    EXPECT_TRUE(warnings.empty());
  }
}

TEST_F(KeptManagersTest, DoNothingIfNothingWasReplaced) {
  json::Document object = json::parse_literal(with_managers(kBroken));
  Request request;
  request.warnings = &warnings;
  KeptManagers().restore(api::Edit(object), request);
  EXPECT_EQ(json::print(object.root()), with_managers(kBroken));
  EXPECT_TRUE(warnings.empty());
}

}  // namespace
}  // namespace proa::apiserver
