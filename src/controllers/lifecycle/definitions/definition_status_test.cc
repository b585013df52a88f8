#include "controllers/lifecycle/definitions/definition_status.h"

#include <gtest/gtest.h>

#include "base/encoding.h"
#include "json/parse.h"

namespace proa::controllers::definitions {
namespace {

constexpr Time kNow{std::chrono::seconds(1767366245)};
constexpr const char* kNames =
    R"({"plural":"ships","singular":"ship","kind":"Ship","listKind":"ShipList"})";

std::string definition(const std::string& status, const std::string& more_spec = "",
                       const std::string& metadata = R"({"name":"ships.example.com"})",
                       const std::string& group = "example.com") {
  return R"({"metadata":)" + metadata + R"(,"spec":{"group":")" + group + R"(","names":)" + kNames +
         R"(,"versions":[{"name":"v1","served":true,"storage":true,"schema":)" +
         R"({"openAPIV3Schema":{"type":"object"}}}])" + more_spec + R"(},"status":)" + status + "}";
}

// "NamesAccepted=True NoConflicts", in order.
std::vector<std::string> conditions_of(const std::string& json, const NamesInUse& in_use = {}) {
  const api::ObjectPtr object = api::Object::make(json);
  json::Document document = object->document().value();
  const api::Edit edit(document);
  const StatusUpdate update = update_status(edit, facts_of(*object), in_use, kNow);
  std::vector<std::string> texts;
  for (const api::View condition : edit["status"]["conditions"].items()) {
    texts.push_back(std::string(condition["type"].text()) + "=" +
                    std::string(condition["status"].text()) + " " +
                    std::string(condition["reason"].text()));
  }
  if (!update.changed) texts.emplace_back("unchanged");
  return texts;
}

using Texts = std::vector<std::string>;

TEST(UpdateStatus, EstablishesWithOneWrite) {
  const api::ObjectPtr object = api::Object::make(definition("{}"));
  json::Document document = object->document().value();
  const api::Edit edit(document);
  const StatusUpdate update = update_status(edit, facts_of(*object), {}, kNow);
  EXPECT_TRUE(update.changed);
  EXPECT_EQ(update.accepted.kind, "Ship");
  const json::Document names = json::parse_literal(kNames);
  EXPECT_TRUE(edit["status"]["acceptedNames"] == api::View(names.root()));
  EXPECT_EQ(find_condition(edit["status"], "Established")["message"].text(),
            "the initial names have been accepted");
}

TEST(UpdateStatus, ChangesNothingThatIsRight) {
  EXPECT_EQ(
      conditions_of(definition(
          R"({"acceptedNames":)" + std::string(kNames) +
          R"(,"conditions":[{"type":"NamesAccepted","status":"True","reason":"NoConflicts",)" +
          R"("message":"no conflicts found"},{"type":"Established","status":"True"}]})")),
      (Texts{"NamesAccepted=True NoConflicts", "Established=True ", "unchanged"}));
}

TEST(UpdateStatus, DoesNotEstablishWhatHasNoNames) {
  const Names other{.plural = "x",
                    .singular = "y",
                    .short_names = {},
                    .kind = "Ship",
                    .list_kind = "D",
                    .categories = {}};
  NamesInUse in_use;
  in_use.add(other);
  EXPECT_EQ(conditions_of(definition("{}"), in_use),
            (Texts{"NamesAccepted=False KindConflict", "Established=False NotAccepted"}));
  // What is established stays so.
  EXPECT_EQ(conditions_of(definition(R"({"conditions":[{"type":"Established","status":"True"}]})"),
                          in_use),
            (Texts{"Established=True ", "NamesAccepted=False KindConflict"}));
}

TEST(UpdateStatus, EstablishesWhenNamesBecomeFree) {
  EXPECT_EQ(conditions_of(
                definition(R"({"conditions":[{"type":"NamesAccepted","status":"False","reason":)"
                           R"("KindConflict"},{"type":"Established","status":"False","reason":)"
                           R"("NotAccepted"}]})")),
            (Texts{"NamesAccepted=True NoConflicts", "Established=True InitialNamesAccepted"}));
}

TEST(UpdateStatus, RefusesBadCertificatesOfConversionWebhooks) {
  const auto with = [](const std::string& bundle) {
    return conditions_of(
        definition("{}", R"(,"conversion":{"strategy":"Webhook","webhook":{"clientConfig":{"url":)"
                         R"("https://example.com","caBundle":")" +
                             to_base64(bundle) + R"("}}})"));
  };
  EXPECT_EQ(with("no certificate"),
            (Texts{"NamesAccepted=True NoConflicts", "Established=False InvalidCABundle"}));
  EXPECT_EQ(with(""),
            (Texts{"NamesAccepted=True NoConflicts", "Established=True InitialNamesAccepted"}));
}

TEST(SchemaCondition, TellsWhatIsNotStructural) {
  const auto message = [](const std::string& json) {
    const json::Document document = *json::parse(json);
    const std::optional<Condition> condition = schema_condition(document.root());
    return condition ? condition->message : "";
  };
  EXPECT_EQ(message(definition("{}")), "");
  EXPECT_EQ(message(definition("{}", R"(,"preserveUnknownFields":true)")),
            "spec.preserveUnknownFields: Invalid value: true: must be false");
  EXPECT_EQ(message(R"({"spec":{"versions":[{"name":"v1","schema":{"openAPIV3Schema":)"
                    R"({"properties":{"a":{}}}}}]}})"),
            "[spec.versions[0].schema.openAPIV3Schema.properties[a].type: Required value: must not "
            "be empty for specified object fields, "
            "spec.versions[0].schema.openAPIV3Schema.type: Required value: must not be empty at "
            "the root]");
}

TEST(SchemaCondition, GoesWithItsCause) {
  EXPECT_EQ(conditions_of(definition(
                R"({"acceptedNames":)" + std::string(kNames) +
                R"(,"conditions":[{"type":"NamesAccepted","status":"True"},)"
                R"({"type":"NonStructuralSchema","status":"True","reason":"Violations"},)"
                R"({"type":"Established","status":"True"}]})")),
            (Texts{"NamesAccepted=True ", "Established=True "}));
}

TEST(ApprovalCondition, FollowsTheAnnotation) {
  const struct {
    const char* annotation;
    const char* status;
    const char* reason;
    const char* message;
  } cases[] = {
      {"https://github.com/kubernetes/enhancements/pull/1", "True", "ApprovedAnnotation",
       "approved in https://github.com/kubernetes/enhancements/pull/1"},
      {"unapproved, testing", "False", "UnapprovedAnnotation",
       "not approved: \"unapproved, testing\""},
      {"", "False", "MissingAnnotation",
       "protected groups must have approval annotation \"api-approved.kubernetes.io\", see "
       "https://github.com/kubernetes/enhancements/pull/1111"},
      {"yes", "False", "InvalidAnnotation",
       "protected groups must have approval annotation \"api-approved.kubernetes.io\" with either "
       "a URL or a reason starting with \"unapproved\", see "
       "https://github.com/kubernetes/enhancements/pull/1111"},
  };
  for (const auto& c : cases) {
    SCOPED_TRACE(c.annotation);
    const std::string metadata =
        R"({"annotations":{"api-approved.kubernetes.io":")" + std::string(c.annotation) + R"("}})";
    for (const std::string group : {"k8s.io", "ships.k8s.io", "a.kubernetes.io"}) {
      const json::Document document = *json::parse(definition("{}", "", metadata, group));
      const std::optional<Condition> condition = approval_condition(document.root());
      ASSERT_TRUE(condition.has_value());
      EXPECT_EQ(condition->status, c.status);
      EXPECT_EQ(condition->reason, c.reason);
      EXPECT_EQ(condition->message, c.message);
    }
    const json::Document other = *json::parse(definition("{}", "", metadata, "myk8s.io"));
    EXPECT_FALSE(approval_condition(other.root()).has_value());
  }
}

}  // namespace
}  // namespace proa::controllers::definitions
