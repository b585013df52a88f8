#include "apiserver/access/admission/webhooks/admission_review.h"

#include <gtest/gtest.h>

#include "api/schema/builtin.h"
#include "base/encoding.h"
#include "json/parse.h"
#include "json/print.h"

namespace proa::apiserver {
namespace {

class AdmissionReviewTest : public testing::Test {
 protected:
  AdmissionReviewTest() {
    request_.resource = api::builtin_schema().find_resource("apps", "v1", "deployments");
    request_.name_space = "n";
    request_.name = "web";
    request_.user = std::make_shared<const User>(
        User{.name = "jo", .uid = "7", .groups = {"a", "b"}, .extra = {{"k", {"v"}}}});
  }
  AdmissionQuestion question(const Admission& admission) const {
    const ReviewedKind kind{.group = "apps",
                            .version = "v1",
                            .resource_group = "apps",
                            .resource_version = "v1",
                            .resource = "deployments",
                            .kind = "Deployment"};
    return {.version = version_,
            .uid = "q",
            .seen = kind,
            .stated = kind,
            .name = "web",
            .admission = admission,
            .object = object_.root(),
            .old = {},
            .options = {}};
  }
  // What comes of an answer, in a line.
  std::string read(const std::string& answer, WebhookMay may = WebhookMay::kMutate) {
    const Admission admission{.request = request_, .operation = Operation::kCreate, .old = {}};
    const Result<AdmissionAnswer> read =
        read_admission(question(admission), "hook.example.com", may, answer);
    if (!read) return "failed: " + read.status().message();
    std::string text = read->allowed ? "allowed" : "refused";
    if (read->refusal)
      text += " " + std::to_string(read->refusal->code()) + " " + read->refusal->message();
    if (!read->patch.root().is_null()) text += " " + json::print(read->patch.root());
    for (const std::string& warning : read->warnings) text += " warns of " + warning;
    for (const auto& [key, value] : read->audit_annotations) text += " notes " + key + "=" + value;
    return text;
  }
  static std::string answer(const std::string& response) {
    return R"({"kind":"AdmissionReview","apiVersion":"admission.k8s.io/v1","response":{"uid":"q")" +
           response + "}}";
  }

  Request request_;
  const json::Document object_ = json::parse_literal(R"({"kind":"Deployment"})");
  std::string version_ = "v1";
};

TEST_F(AdmissionReviewTest, AsksAsUpstreamDoes) {
  const Admission admission{
      .request = request_, .operation = Operation::kUpdate, .old = {}, .dry_run = true};
  EXPECT_EQ(admission_text(question(admission)),
            R"({"kind":"AdmissionReview","apiVersion":"admission.k8s.io/v1","request":{"uid":"q",)"
            R"("kind":{"group":"apps","version":"v1","kind":"Deployment"},)"
            R"("resource":{"group":"apps","version":"v1","resource":"deployments"},)"
            R"("requestKind":{"group":"apps","version":"v1","kind":"Deployment"},)"
            R"("requestResource":{"group":"apps","version":"v1","resource":"deployments"},)"
            R"("name":"web","namespace":"n","operation":"UPDATE",)"
            R"("userInfo":{"username":"jo","uid":"7","groups":["a","b"],"extra":{"k":["v"]}},)"
            R"("object":{"kind":"Deployment"},"oldObject":null,"dryRun":true,"options":null}})");
}

TEST_F(AdmissionReviewTest, ReadsAnswers) {
  const std::string patch = R"([{"op":"remove","path":"/x"}])";
  const std::string encoded = to_base64(patch);
  const struct {
    const char* name;
    std::string response;
    std::string wanted;
  } cases[] = {
      {"allowed", R"(,"allowed":true)", "allowed"},
      {"a patch", R"(,"allowed":true,"patchType":"JSONPatch","patch":")" + encoded + R"(")",
       "allowed " + patch},
      {"a patch that is null", R"(,"allowed":true,"patch":null,"patchType":null)", "allowed"},
      {"null as a patch", R"(,"allowed":true,"patchType":"JSONPatch","patch":"bnVsbA==")",
       "allowed"},
      {"null as an operation",
       R"(,"allowed":true,"patchType":"JSONPatch","patch":")" + to_base64("[null]") + R"(")",
       "allowed [null]"},
      {"more", R"(,"allowed":true,"warnings":["a","b"],"auditAnnotations":{"k":"v"})",
       "allowed warns of a warns of b notes k=v"},
      {"refused", "",
       R"(refused 400 admission webhook "hook.example.com" denied the request without explanation)"},
      {"why", R"(,"status":{"message":"no","code":418,"reason":"Forbidden"})",
       R"(refused 418 admission webhook "hook.example.com" denied the request: no)"},
      {"a reason", R"(,"status":{"reason":"Forbidden","code":200})",
       R"(refused 400 admission webhook "hook.example.com" denied the request: Forbidden)"},
      {"a patch of a refusal does not count",
       R"(,"patchType":"JSONPatch","patch":")" + encoded + R"(")",
       R"(refused 400 admission webhook "hook.example.com" denied the request without explanation)"},
      {"no type", R"(,"allowed":true,"patch":")" + encoded + R"(")",
       "failed: webhook returned response.patch but not response.patchType"},
      {"no patch", R"(,"allowed":true,"patchType":"JSONPatch")",
       "failed: webhook returned response.patchType but not response.patch"},
      {"another type", R"(,"allowed":true,"patchType":"Merge","patch":")" + encoded + R"(")",
       R"(failed: unsupported patch type "Merge")"},
      {"allowed is no flag", R"(,"allowed":"true")", "failed: webhook response cannot be read"},
  };
  for (const auto& c : cases) {
    SCOPED_TRACE(c.name);
    EXPECT_EQ(read(answer(c.response)), c.wanted);
  }
}

TEST_F(AdmissionReviewTest, RefusesWhatIsNoAnswer) {
  EXPECT_TRUE(read("").starts_with("failed: "));
  EXPECT_EQ(read("{}"), "failed: webhook response was absent");
  EXPECT_EQ(read(R"({"response":{"uid":"other"}})"),
            R"(failed: expected response.uid="q", got "other")");
  EXPECT_EQ(read(R"({"kind":"Pod","apiVersion":"v1","response":{"uid":"q"}})"),
            "failed: expected webhook response of admission.k8s.io/v1, Kind=AdmissionReview, got "
            "v1, Kind=Pod");
  EXPECT_EQ(read(answer(R"(,"patch":"e30=")"), WebhookMay::kOnlyValidate),
            "failed: validating webhook may not return response.patch");
  EXPECT_EQ(read(answer(R"(,"patchType":"JSONPatch")"), WebhookMay::kOnlyValidate),
            "failed: validating webhook may not return response.patchType");
  const std::string no_list = R"(,"allowed":true,"patchType":"JSONPatch","patch":"e30=")";
  EXPECT_EQ(read(answer(no_list)),
            "failed: received undecodable patch in webhook response: it is no list of operations");
  const std::string no_operation =
      R"(,"allowed":true,"patchType":"JSONPatch","patch":")" + to_base64("[1]") + R"(")";
  EXPECT_EQ(read(answer(no_operation)),
            "failed: received undecodable patch in webhook response: it is no list of operations");
}

TEST_F(AdmissionReviewTest, OldReviewsNeedNotSayMuch) {
  version_ = "v1beta1";
  EXPECT_EQ(read(R"({"response":{"allowed":true,"patch":")" + to_base64("[]") + R"("}})"),
            "allowed []");
}

TEST(AdmissionReviewVersion, IsTheFirstThatExists) {
  const auto chosen = [](const char* versions) {
    const json::Document document = json::parse_literal(versions);
    const Result<std::string> version = admission_review_version(document.root());
    return version ? *version : version.status().message();
  };
  EXPECT_EQ(chosen(R"(["v2","v1beta1","v1"])"), "v1beta1");
  EXPECT_EQ(chosen(R"(["v2"])"),
            "webhook does not accept known AdmissionReview versions (v1, v1beta1)");
}

}  // namespace
}  // namespace proa::apiserver
