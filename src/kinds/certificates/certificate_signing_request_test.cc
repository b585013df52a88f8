#include "kinds/certificates/certificate_signing_request.h"

#include <gtest/gtest.h>

#include "base/random.h"
#include "json/print.h"
#include "json/yaml.h"

namespace proa::kinds {
namespace certificate_signing_request_test {

json::Document parse(std::string_view yaml) {
  auto parsed = json::parse_yaml(yaml);
  CHECK(parsed.ok());
  return std::move(parsed).value();
}

class Signing : public testing::Test {
 protected:
  using Prepare = void (*)(api::Edit object, View old, const Writer& writer);

  std::string conditions_after(Prepare prepare, std::string_view now, std::string_view before) {
    json::Document object = parse(now);
    prepare(api::Edit(object), parse(before).root(), writer_);
    return json::print(*View(object.root())["status"]["conditions"].value());
  }

  SeededRandom random_{1};
  Writer writer_{.now = *parse_time("2026-01-02T00:00:00Z"), .random = random_};
};

TEST_F(Signing, NamesTheUserInFull) {
  const std::vector<std::string> groups = {"g"};
  const std::vector<std::pair<std::string, std::vector<std::string>>> extra = {
      {"example.com/a", {"x", "y"}}, {"b", {"z"}}};
  writer_.user = "alice";
  writer_.groups = groups;
  writer_.extra = extra;
  json::Document object = parse("{spec: {username: root, extra: {c: [d]}}}");
  certificate_signing_request_rules().prepare_create(api::Edit(object), writer_);
  EXPECT_EQ(json::print(*View(object.root())["spec"].value()),
            R"({"username":"alice","groups":["g"],)"
            R"("extra":{"example.com/a":["x","y"],"b":["z"]}})");
}

TEST_F(Signing, ApprovalFillsInTimes) {
  EXPECT_EQ(conditions_after(prepare_approval_update,
                             "{status: {conditions: [{type: Approved, status: 'True'}]}}", "{}"),
            R"([{"type":"Approved","status":"True","lastUpdateTime":"2026-01-02T00:00:00Z",)"
            R"("lastTransitionTime":"2026-01-02T00:00:00Z"}])");
  EXPECT_EQ(conditions_after(prepare_approval_update,
                             "{status: {conditions: [{type: Approved, status: 'True'}]}}",
                             "{status: {conditions: [{type: Approved, status: 'True', "
                             "lastTransitionTime: '2025-01-01T00:00:00Z'}]}}"),
            R"([{"type":"Approved","status":"True","lastUpdateTime":"2026-01-02T00:00:00Z",)"
            R"("lastTransitionTime":"2025-01-01T00:00:00Z"}])");
}

TEST_F(Signing, StatusKeepsTheVerdict) {
  const auto prepare = certificate_signing_request_rules().prepare_status_update;
  EXPECT_EQ(conditions_after(
                prepare, "{status: {conditions: [{type: Denied, status: 'True', reason: New}]}}",
                "{status: {conditions: [{type: Denied, status: 'True', reason: Old, "
                "lastUpdateTime: a, lastTransitionTime: b}]}}"),
            R"([{"type":"Denied","status":"True","reason":"Old","lastUpdateTime":"a",)"
            R"("lastTransitionTime":"b"}])");
}

TEST_F(Signing, OnlyApprovalBringsAVerdict) {
  const json::Document old = parse("{}");
  const json::Document now =
      parse("{status: {conditions: [{type: Approved, status: 'True'}], certificate: AAAA}}");
  const auto has = [](const api::FieldErrors& errors, std::string_view text) {
    const auto texts = errors.texts();
    return std::find(texts.begin(), texts.end(), text) != texts.end();
  };
  constexpr std::string_view kVerdict =
      "status.conditions: Forbidden: updates may not add a condition of type \"Approved\"";
  constexpr std::string_view kCertificate =
      "status.certificate: Forbidden: updates may not set certificate content";
  api::FieldErrors approval;
  validate_approval_update(now.root(), old.root(), approval);
  EXPECT_FALSE(has(approval, kVerdict));
  EXPECT_TRUE(has(approval, kCertificate));
  api::FieldErrors status;
  certificate_signing_request_rules().validate_status_update(now.root(), old.root(), status);
  EXPECT_TRUE(has(status, kVerdict));
  EXPECT_FALSE(has(status, kCertificate));
}

}  // namespace certificate_signing_request_test
}  // namespace proa::kinds
