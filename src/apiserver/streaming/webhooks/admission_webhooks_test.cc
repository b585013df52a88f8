// Admission webhooks by the whole server: what they are asked, and what comes of their answers.

#include <gtest/gtest.h>

#include <map>

#include "api/object/view.h"
#include "base/encoding.h"
#include "json/parse.h"
#include "json/print.h"
#include "testkit/apiserver/running_api.h"
#include "testkit/apiserver/test_webhook.h"

namespace proa::apiserver {
namespace {

using api::View;

constexpr const char* kMaps = "/api/v1/namespaces/default/configmaps";
constexpr const char* kGroup = "/apis/admissionregistration.k8s.io/v1/";

// An answer of the webhook: `more` are members of the response.
http::Response answer(const TestWebhook::Asked& asked, const std::string& more) {
  const json::Document question = json::parse(asked.body).value();
  return TestWebhook::json(
      R"({"kind":"AdmissionReview","apiVersion":"admission.k8s.io/v1","response":{"uid":")" +
      std::string(View(question.root())["request"]["uid"].text()) + R"(",)" + more + "}}");
}

std::string patching(const std::string& patch) {
  return R"("allowed":true,"patchType":"JSONPatch","patch":")" + to_base64(patch) + R"(")";
}

class AdmissionWebhooksTest : public testing::Test {
 protected:
  // `more`: members of the webhook, which end with a comma.
  void configure(const std::string& kind, const std::string& name, const std::string& more,
                 const std::string& resources = R"(["configmaps"])") {
    const bool mutates = kind == "Mutating";
    const auto made = api_.ask(
        "POST",
        std::string(kGroup) +
            (mutates ? "mutatingwebhookconfigurations" : "validatingwebhookconfigurations"),
        R"({"metadata":{"name":")" + name + R"("},"webhooks":[{"name":")" + name +
            R"(.example.com",)" + more +
            R"("sideEffects":"None","admissionReviewVersions":["v1"],"rules":[{"operations":["*"],)" +
            R"("apiGroups":["*"],"apiVersions":["*"],"resources":)" + resources +
            R"(}],"clientConfig":{"url":")" + webhook_.connection("/" + name).server +
            R"(","caBundle":")" + to_base64(TestCertificates::get().authority.certificate_pem) +
            R"("}}]})");
    ASSERT_EQ(made.code, 201) << made.body;
  }
  testkit::RunningApi::Answer create(const std::string& name, const std::string& query = "") {
    return api_.ask("POST", kMaps + query, R"({"metadata":{"name":")" + name + R"("}})");
  }
  // What the webhooks answer, by their paths.
  void answer_with(std::map<std::string, std::string> answers) {
    webhook_.set_answer([answers](const TestWebhook::Asked& asked) {
      const std::string path = asked.head.target.substr(1, asked.head.target.find('?') - 1);
      const auto found = answers.find(path);
      return answer(asked, found == answers.end() ? R"("allowed":true)" : found->second);
    });
  }
  // A part of what was asked, as JSON.
  std::string asked(size_t index, const std::string& path) const {
    const json::Document question = json::parse(webhook_.asked()[index].body).value();
    const View found = View(question.root())["request"].at(path);
    return found ? json::print(*found.value()) : "absent";
  }
  static std::string message_of(const testkit::RunningApi::Answer& answer) {
    const json::Document document = json::parse(answer.body).value();
    return std::to_string(answer.code) + " " + std::string(View(document.root())["message"].text());
  }

  TestWebhook webhook_{
      [](const TestWebhook::Asked& asked) { return answer(asked, R"("allowed":true)"); }};
  WebhookEnvironment environment_;
  testkit::RunningApi api_{testkit::RunningApi::Options{.webhooks = &environment_.context}};
};

TEST_F(AdmissionWebhooksTest, SeeWhatIsWritten) {
  configure("Validating", "guard", "");
  ASSERT_EQ(create("a", "?fieldManager=me&fieldValidation=Strict").code, 201);
  ASSERT_EQ(webhook_.count(), 1U);
  EXPECT_EQ(webhook_.asked()[0].head.target, "/guard?timeout=10s");
  EXPECT_EQ(webhook_.asked()[0].head.headers.get("user-agent"), "kube-apiserver-admission");
  EXPECT_EQ(asked(0, "operation"), R"("CREATE")");
  EXPECT_EQ(asked(0, "object.metadata.name"), R"("a")");
  EXPECT_EQ(asked(0, "oldObject"), "absent");
  EXPECT_EQ(asked(0, "userInfo.username"), R"("admin")");
  EXPECT_EQ(asked(0, "options"),
            R"({"kind":"CreateOptions","apiVersion":"meta.k8s.io/v1","fieldManager":"me",)"
            R"("fieldValidation":"Strict"})");
  ASSERT_EQ(api_.ask("PATCH", std::string(kMaps) + "/a", R"({"data":{"k":"v"}})",
                     {{"content-type", "application/merge-patch+json"}})
                .code,
            200);
  EXPECT_EQ(asked(1, "operation"), R"("UPDATE")");
  EXPECT_EQ(asked(1, "object.data"), R"({"k":"v"})");
  EXPECT_EQ(asked(1, "oldObject.data"), "absent");
  EXPECT_EQ(asked(1, "options.kind"), R"("UpdateOptions")");
  ASSERT_EQ(api_.ask("DELETE", std::string(kMaps) + "/a").code, 200);
  EXPECT_EQ(asked(2, "operation"), R"("DELETE")");
  EXPECT_EQ(asked(2, "object"), "absent");
  EXPECT_EQ(asked(2, "oldObject.data"), R"({"k":"v"})");
  // Others are not asked about.
  ASSERT_EQ(
      api_.ask("POST", "/api/v1/namespaces/default/secrets", R"({"metadata":{"name":"s"}})").code,
      201);
  EXPECT_EQ(webhook_.count(), 3U);
}

TEST_F(AdmissionWebhooksTest, Refuse) {
  configure("Validating", "guard", "");
  answer_with({{"guard", R"("allowed":false,"status":{"code":403,"message":"not today"})"}});
  EXPECT_EQ(message_of(create("a")),
            R"(403 admission webhook "guard.example.com" denied the request: not today)");
  EXPECT_EQ(api_.ask("GET", std::string(kMaps) + "/a").code, 404);
  // They are asked before the server looks at the version.
  EXPECT_EQ(api_.ask("POST", kMaps, R"({"metadata":{"name":"a","resourceVersion":"1"}})").code,
            403);
  // Any code that a status line can have.
  answer_with({{"guard", R"("allowed":false,"status":{"code":700,"message":"x"})"}});
  EXPECT_EQ(create("a").code, 700);
}

TEST_F(AdmissionWebhooksTest, ChangeObjects) {
  configure("Mutating", "painter", "");
  configure("Validating", "guard", "");
  answer_with({{"painter", patching(R"([{"op":"add","path":"/data","value":{"k":"v"}}])")}});
  const auto made = create("a");
  ASSERT_EQ(made.code, 201) << made.body;
  EXPECT_NE(made.body.find(R"("data":{"k":"v"})"), std::string::npos) << made.body;
  ASSERT_EQ(webhook_.count(), 2U);
  EXPECT_EQ(asked(1, "object.data"), R"({"k":"v"})");
}

// They see the whole Scale after the change, whatever was sent.
TEST_F(AdmissionWebhooksTest, SeeCompleteScales) {
  const std::string deployments = "/apis/apps/v1/namespaces/default/deployments";
  const auto made = api_.ask(
      "POST", deployments,
      R"({"metadata":{"name":"a"},"spec":{"selector":{"matchLabels":{"app":"a"}},"template":)"
      R"({"metadata":{"labels":{"app":"a"}},"spec":{"containers":[{"name":"c","image":"i"}]}}}})");
  ASSERT_EQ(made.code, 201) << made.body;
  configure("Validating", "guard", "", R"(["deployments/scale"])");
  const auto scaled = api_.ask("PUT", deployments + "/a/scale",
                               R"({"metadata":{"name":"a"},"spec":{"replicas":2}})");
  ASSERT_EQ(scaled.code, 200) << scaled.body;
  ASSERT_EQ(webhook_.count(), 1U);
  EXPECT_EQ(asked(0, "object.spec.replicas"), "2");
  EXPECT_EQ(asked(0, "object.status"), R"({"replicas":0,"selector":"app=a"})");
  for (const char* name : {"uid", "resourceVersion", "creationTimestamp"}) {
    const std::string path = "object.metadata." + std::string(name);
    EXPECT_NE(asked(0, path), "absent") << path;
    EXPECT_EQ(asked(0, path), asked(0, "oldObject.metadata." + std::string(name)));
  }
  EXPECT_EQ(asked(0, "oldObject.spec.replicas"), "1");
}

TEST_F(AdmissionWebhooksTest, SeeOlderEvictionsAsTheNewOnes) {
  const auto made =
      api_.ask("POST", "/api/v1/namespaces/default/pods",
               R"({"metadata":{"name":"p"},"spec":{"containers":[{"name":"c","image":"i"}]}})");
  ASSERT_EQ(made.code, 201) << made.body;
  configure("Mutating", "painter", "", R"(["pods/eviction"])");
  configure("Validating", "guard", "", R"(["pods/eviction"])");
  const auto evicted =
      api_.ask("POST", "/api/v1/namespaces/default/pods/p/eviction",
               R"({"kind":"Eviction","apiVersion":"policy/v1beta1","metadata":{"name":"p"}})");
  ASSERT_EQ(evicted.code, 201) << evicted.body;
  ASSERT_EQ(webhook_.count(), 2U);
  for (size_t i = 0; i < 2; ++i) {
    EXPECT_EQ(asked(i, "object.apiVersion"), R"("policy/v1")");
    EXPECT_EQ(asked(i, "object.metadata.namespace"), R"("default")");
  }
}

// As upstream: the options say what the pod is given, and what is marked is admitted once more
// before it is gone.
TEST_F(AdmissionWebhooksTest, SeeTheGracePeriodsOfPods) {
  const std::string pods = "/api/v1/namespaces/default/pods";
  const auto create_pod = [&](const std::string& name, const std::string& node) {
    const auto made = api_.ask("POST", pods,
                               R"({"metadata":{"name":")" + name + R"("},"spec":{)" + node +
                                   R"("containers":[{"name":"c","image":"i"}]}})");
    ASSERT_EQ(made.code, 201) << made.body;
  };
  create_pod("running", R"("nodeName":"n",)");
  create_pod("waiting", "");
  configure("Validating", "guard", "", R"(["pods"])");
  ASSERT_EQ(api_.ask("DELETE", pods + "/running").code, 200);
  ASSERT_EQ(webhook_.count(), 1U);
  EXPECT_EQ(asked(0, "options.gracePeriodSeconds"), "30");
  EXPECT_EQ(asked(0, "oldObject.metadata.deletionGracePeriodSeconds"), "absent");
  // It is pending already.
  ASSERT_EQ(api_.ask("DELETE", pods + "/running").code, 200);
  EXPECT_EQ(webhook_.count(), 1U);
  ASSERT_EQ(api_.ask("DELETE", pods + "/running?gracePeriodSeconds=0").code, 200);
  ASSERT_EQ(webhook_.count(), 3U);
  EXPECT_EQ(asked(1, "oldObject.metadata.deletionGracePeriodSeconds"), "30");
  EXPECT_EQ(asked(2, "oldObject.metadata.deletionGracePeriodSeconds"), "0");
  EXPECT_EQ(asked(2, "options.gracePeriodSeconds"), "0");
  ASSERT_EQ(api_.ask("DELETE", pods + "/waiting?dryRun=All").code, 200);
  EXPECT_EQ(webhook_.count(), 4U);
  ASSERT_EQ(api_.ask("DELETE", pods + "/waiting").code, 200);
  ASSERT_EQ(webhook_.count(), 6U);
  EXPECT_EQ(asked(4, "oldObject.metadata.deletionTimestamp"), "absent");
  EXPECT_EQ(asked(4, "options.gracePeriodSeconds"), "0");
  EXPECT_NE(asked(5, "oldObject.metadata.deletionTimestamp"), "absent");
}

TEST_F(AdmissionWebhooksTest, SeeReviews) {
  configure("Validating", "guard", "", R"(["localsubjectaccessreviews","tokenreviews"])");
  const std::string review =
      R"({"spec":{"user":"jo","resourceAttributes":{"namespace":"default","verb":"get",)"
      R"("resource":"pods"}}})";
  const std::string path =
      "/apis/authorization.k8s.io/v1/namespaces/default/localsubjectaccessreviews";
  EXPECT_EQ(api_.ask("POST", path, review).code, 201);
  ASSERT_EQ(webhook_.count(), 1U);
  EXPECT_EQ(asked(0, "object.metadata.namespace"), R"("default")");
  answer_with({{"guard", R"("allowed":false)"}});
  EXPECT_EQ(api_.ask("POST", path, review).code, 400);
}

// Whoever deletes a collection names none of its objects.
TEST_F(AdmissionWebhooksTest, DoNotSeeNamesInDeletionsOfCollections) {
  ASSERT_EQ(create("a").code, 201);
  configure("Validating", "guard", "");
  ASSERT_EQ(api_.ask("DELETE", std::string(kMaps) + "?fieldSelector=metadata.name%3Da").code, 200);
  ASSERT_EQ(webhook_.count(), 1U);
  EXPECT_EQ(asked(0, "name"), "absent");
  EXPECT_EQ(asked(0, "oldObject.metadata.name"), R"("a")");
}

TEST_F(AdmissionWebhooksTest, DoNotChangeTheKindOrTheNamespace) {
  ASSERT_EQ(create("old").code, 201);
  configure("Mutating", "painter", "");
  const struct {
    std::string patch;
    std::string refused;
  } cases[] = {
      {R"([{"op":"replace","path":"/kind","value":"Secret"}])",
       "500 converting (v1.Secret) to (core.ConfigMap): unknown conversion"},
      {R"([{"op":"replace","path":"/kind","value":"Nonsense"}])",
       "500 Internal error occurred: no kind \"Nonsense\" is registered for version \"v1\" in "
       "scheme \"pkg/runtime/scheme.go:111\""},
      {R"([{"op":"replace","path":"/metadata/namespace","value":"other"}])",
       "400 the namespace of the provided object does not match the namespace sent on the request"},
      // Put back.
      {R"([{"op":"remove","path":"/kind"}])", ""},
      {R"([{"op":"remove","path":"/apiVersion"}])", ""},
  };
  int made = 0;
  for (const auto& c : cases) {
    SCOPED_TRACE(c.patch);
    answer_with({{"painter", patching(c.patch)}});
    const auto created = create("new-" + std::to_string(++made));
    const auto updated =
        api_.ask("PUT", std::string(kMaps) + "/old",
                 R"({"metadata":{"name":"old"},"data":{"a":")" + std::to_string(made) + R"("}})");
    for (const auto* answer : {&created, &updated}) {
      if (c.refused.empty()) {
        EXPECT_LT(answer->code, 300) << answer->body;
        EXPECT_NE(answer->body.find(R"("kind":"ConfigMap","apiVersion":"v1")"), std::string::npos)
            << answer->body;
      } else {
        EXPECT_EQ(message_of(*answer), c.refused);
      }
    }
  }
}

// What the schema does not know is dropped, whoever adds it.
TEST_F(AdmissionWebhooksTest, ChangeCustomObjectsWithinTheirSchema) {
  const std::string definitions = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
  const std::string names =
      R"("plural":"ships","singular":"ship","kind":"Ship","listKind":"ShipList")";
  const auto defined = api_.ask(
      "POST", definitions,
      R"({"metadata":{"name":"ships.example.com"},"spec":{"group":"example.com","scope":)"
      R"("Namespaced","names":{)" +
          names +
          R"(},"versions":[{"name":"v1","served":true,"storage":true,"schema":{"openAPIV3Schema":)"
          R"({"type":"object","properties":{"data":{"type":"object","properties":{"flag":)"
          R"({"type":"string"},"port":{"type":"string","default":"home"}}}}}}}]}})");
  ASSERT_EQ(defined.code, 201) << defined.body;
  const auto accepted = api_.ask("PATCH", definitions + "/ships.example.com/status",
                                 R"({"status":{"acceptedNames":{)" + names +
                                     R"(},"conditions":[{"type":"NamesAccepted","status":"True"},)"
                                     R"({"type":"Established","status":"True"}]}})",
                                 {{"content-type", "application/merge-patch+json"}});
  ASSERT_EQ(accepted.code, 200) << accepted.body;
  configure("Mutating", "painter", "", R"(["ships"])");
  answer_with(
      {{"painter",
        patching(R"([{"op":"add","path":"/data","value":{"flag":"red","sail":"white"}}])")}});
  const auto made =
      api_.ask("POST", "/apis/example.com/v1/namespaces/default/ships",
               R"({"kind":"Ship","apiVersion":"example.com/v1","metadata":{"name":"a"}})");
  ASSERT_EQ(made.code, 201) << made.body;
  EXPECT_NE(made.body.find(R"("data":{"flag":"red","port":"home"})"), std::string::npos)
      << made.body;
  const auto create_ship = [&](const std::string& patch) {
    answer_with({{"painter", patching(patch)}});
    return message_of(
        api_.ask("POST", "/apis/example.com/v1/namespaces/default/ships",
                 R"({"kind":"Ship","apiVersion":"example.com/v1","metadata":{"name":"b"}})"));
  };
  EXPECT_EQ(
      create_ship(R"([{"op":"replace","path":"/kind","value":"Secret"}])"),
      R"(422 Secret.example.com "b" is invalid: kind: Invalid value: "Secret": must be Ship)");
  EXPECT_EQ(create_ship(R"([{"op":"remove","path":"/kind"}])"),
            "500 Internal error occurred: Object 'Kind' is missing in "
            R"('{"apiVersion":"example.com/v1","metadata":{"name":"b","namespace":"default"}}')");
}

// Those that wish to are asked once more after others changed the object.
TEST_F(AdmissionWebhooksTest, AreAskedAgainIfNeeded) {
  configure("Mutating", "a", R"("reinvocationPolicy":"IfNeeded",)");
  configure("Mutating", "b", "");
  answer_with({{"b", patching(R"([{"op":"add","path":"/data","value":{"k":"v"}}])")}});
  ASSERT_EQ(create("x").code, 201);
  ASSERT_EQ(webhook_.count(), 3U);
  EXPECT_EQ(webhook_.asked()[2].head.target, "/a?timeout=10s");
  EXPECT_EQ(asked(2, "object.data"), R"({"k":"v"})");
}

TEST_F(AdmissionWebhooksTest, FailuresCountOrNot) {
  webhook_.set_answer([](const TestWebhook::Asked&) { return TestWebhook::json("{}", 403); });
  configure("Validating", "guard", "");
  const std::string refused = message_of(create("a"));
  EXPECT_TRUE(refused.starts_with(
      R"(500 Internal error occurred: failed calling webhook "guard.example.com": failed to call)"))
      << refused;
  const struct {
    int code;
    std::string why;
  } cases[] = {
      {404, "the server could not find the requested resource"},
      {501, R"(an error on the server (\"unknown\") has prevented the request from succeeding)"},
      {503, "the server is currently unable to handle the request"},
  };
  for (const auto& c : cases) {
    SCOPED_TRACE(c.code);
    webhook_.set_answer([&](const TestWebhook::Asked&) { return TestWebhook::json("{}", c.code); });
    const std::string message =
        R"(failed calling webhook \"guard.example.com\": failed to call webhook: )" + c.why;
    const std::string body = create("a").body;
    EXPECT_NE(body.find(R"("causes":[{"message":")" + message + R"("}])"), std::string::npos)
        << body;
  }
  const std::string metrics = api_.ask("GET", "/metrics").body;
  EXPECT_NE(metrics.find(R"(error_type="calling_webhook_error",rejection_code="501"} 1)"),
            std::string::npos);
  ASSERT_EQ(api_.ask("DELETE", std::string(kGroup) + "validatingwebhookconfigurations/guard").code,
            200);
  configure("Validating", "careless", R"("failurePolicy":"Ignore",)");
  EXPECT_EQ(create("a").code, 201);
}

// A webhook for everything keeps nobody from removing it.
TEST_F(AdmissionWebhooksTest, DoNotSeeTheirOwnConfiguration) {
  configure("Validating", "all", "", R"(["*"])");
  answer_with({{"all", R"("allowed":false)"}});
  EXPECT_EQ(create("a").code, 400);
  EXPECT_EQ(api_.ask("DELETE", std::string(kGroup) + "validatingwebhookconfigurations/all").code,
            200);
  EXPECT_EQ(create("a").code, 201);
}

TEST_F(AdmissionWebhooksTest, SelectByLabels) {
  configure(
      "Validating", "guard",
      R"("objectSelector":{"matchLabels":{"guarded":"yes"}},)"
      R"("namespaceSelector":{"matchExpressions":[{"key":"free","operator":"DoesNotExist"}]},)");
  ASSERT_EQ(create("a").code, 201);
  EXPECT_EQ(webhook_.count(), 0U);
  const std::string guarded = R"({"metadata":{"name":"b","labels":{"guarded":"yes"}}})";
  ASSERT_EQ(api_.ask("POST", kMaps, guarded).code, 201);
  EXPECT_EQ(webhook_.count(), 1U);
  ASSERT_EQ(
      api_.ask("PATCH", "/api/v1/namespaces/default", R"({"metadata":{"labels":{"free":""}}})",
               {{"content-type", "application/merge-patch+json"}})
          .code,
      200);
  ASSERT_EQ(api_.ask("DELETE", std::string(kMaps) + "/b").code, 200);
  EXPECT_EQ(webhook_.count(), 1U);
}

TEST_F(AdmissionWebhooksTest, WarnClients) {
  configure("Validating", "guard", "");
  answer_with({{"guard", R"("allowed":true,"warnings":["careful"])"}});
  const auto made = create("a");
  EXPECT_EQ(made.code, 201);
  EXPECT_EQ(made.headers.get("warning"), R"(299 - "careful")");
}

TEST_F(AdmissionWebhooksTest, AreCounted) {
  configure("Validating", "guard", "");
  answer_with({{"guard", R"("allowed":false,"status":{"code":403,"message":"not today"})"}});
  ASSERT_EQ(create("a").code, 403);
  const std::string text = api_.ask("GET", "/metrics").body;
  const std::string prefix = "\napiserver_admission_";
  for (const char* line : {
           R"(webhook_rejection_count{name="guard.example.com",type="validating",)"
           R"(operation="CREATE",error_type="no_error",rejection_code="403"} 1)",
           R"(controller_admission_duration_seconds_count{name="ValidatingAdmissionWebhook",)"
           R"(type="validate",operation="CREATE",rejected="true"} 1)",
           R"(step_admission_duration_seconds_count{type="validate",operation="CREATE",)"
           R"(rejected="true"} 1)",
       }) {
    EXPECT_NE(text.find(prefix + line + "\n"), std::string::npos) << line;
  }
}

// Webhooks for everything that are broken.
TEST_F(AdmissionWebhooksTest, DoNotKeepTheClusterFromBeingRepaired) {
  configure("Validating", "all", "", R"(["*/*"])");
  configure("Mutating", "broken", "", R"(["*/*"])");
  webhook_.set_answer([](const TestWebhook::Asked&) { return TestWebhook::json("{}", 500); });
  EXPECT_NE(create("a").code, 201);
  const size_t before = webhook_.count();
  const std::string match =
      R"("matchConstraints":{"resourceRules":[{"operations":["*"],"apiGroups":[""],)"
      R"("apiVersions":["v1"],"resources":["pods"]}]})";
  const struct {
    const char* resource;
    std::string body;  // without metadata
  } cases[] = {
      {"validatingwebhookconfigurations", R"("webhooks":[])"},
      {"mutatingwebhookconfigurations", R"("webhooks":[])"},
      {"validatingadmissionpolicies",
       R"("spec":{)" + match + R"(,"validations":[{"expression":"true"}]})"},
      {"validatingadmissionpolicybindings",
       R"("spec":{"policyName":"x","validationActions":["Deny"]})"},
      {"mutatingadmissionpolicies",
       R"("spec":{)" + match +
           R"(,"reinvocationPolicy":"Never","mutations":[{"patchType":"JSONPatch","jsonPatch":)"
           R"({"expression":"[JSONPatch{op: 'remove', path: '/metadata/labels'}]"}}]})"},
      {"mutatingadmissionpolicybindings", R"("spec":{"policyName":"x"})"},
  };
  for (const auto& c : cases) {
    SCOPED_TRACE(c.resource);
    const auto made = api_.ask("POST", std::string(kGroup) + c.resource,
                               R"({"metadata":{"name":"x"},)" + c.body + "}");
    EXPECT_EQ(made.code, 201) << made.body;
    EXPECT_EQ(api_.ask("DELETE", std::string(kGroup) + c.resource + "/x").code, 200);
  }
  for (const char* name_space : {"kube-system", "kube-node-lease"}) {
    SCOPED_TRACE(name_space);
    const std::string leases =
        "/apis/coordination.k8s.io/v1/namespaces/" + std::string(name_space) + "/leases";
    EXPECT_EQ(api_.ask("POST", leases, R"({"metadata":{"name":"x"}})").code, 201);
    EXPECT_EQ(api_.ask("DELETE", leases + "/x").code, 200);
  }
  EXPECT_EQ(webhook_.count(), before);
  // Leases of others are none of the cluster's.
  EXPECT_NE(api_.ask("POST", "/apis/coordination.k8s.io/v1/namespaces/default/leases",
                     R"({"metadata":{"name":"x"}})")
                .code,
            201);
  ASSERT_EQ(api_.ask("DELETE", std::string(kGroup) + "validatingwebhookconfigurations/all").code,
            200);
  ASSERT_EQ(api_.ask("DELETE", std::string(kGroup) + "mutatingwebhookconfigurations/broken").code,
            200);
  EXPECT_EQ(create("a").code, 201);
}

}  // namespace
}  // namespace proa::apiserver
