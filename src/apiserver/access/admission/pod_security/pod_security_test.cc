#include "apiserver/access/admission/pod_security/pod_security.h"

#include <gtest/gtest.h>

#include "apiserver/access/admission/admission_metrics.h"
#include "apiserver/access/admission/policies/params.h"
#include "apiserver/access/authz/authorizer.h"
#include "base/strings.h"
#include "json/yaml.h"
#include "testkit/apiserver/test_cluster.h"

namespace proa::apiserver {
namespace {

using Texts = std::vector<std::string>;

class NobodyAuthorizer final : public Authorizer {
 public:
  Verdict authorize(const Attributes&) override { return {}; }
  void list_rules(const User&, std::string_view, RuleList&) override {}
};

struct Answer {
  std::string refusal;  // empty: admitted
  int code = 0;
  Texts warnings;

  bool operator==(const Answer&) const = default;
};

std::ostream& operator<<(std::ostream& out, const Answer& answer) {
  out << answer.code << " " << answer.refusal;
  for (const std::string& warning : answer.warnings) out << "\nwarning: " << warning;
  return out;
}

// Namespaces with different labels, and the plugin's results for objects in them.
class PodSecurityTest : public testing::Test {
 protected:
  PodSecurityTest() {
    EXPECT_TRUE(cluster_.start().ok());
    add_namespace("plain", "");
    add_namespace("exempt", "enforce: restricted");
    add_namespace("baseline", "enforce: baseline");
    add_namespace("warned", "warn: baseline");
    add_namespace("audited", "audit: baseline");
    add_namespace("restricted", "enforce: restricted");
    add_namespace("strange", "enforce: nonsense");
    const json::Document configuration = *json::parse_yaml(
        "{apiVersion: pod-security.admission.config.k8s.io/v1, kind: PodSecurityConfiguration, "
        "exemptions: {namespaces: [exempt], usernames: [trusted], runtimeClasses: [vm]}}");
    plugin_ = *PodSecurity::make({.store = *cluster_.store,
                                  .schema = cluster_.schema,
                                  .clock = cluster_.clock,
                                  .random = cluster_.random,
                                  .authorizer = nobody_,
                                  .metrics = metrics_,
                                  .params = params_,
                                  .configuration = configuration.root()});
  }

  void add_namespace(const std::string& name, const std::string& label) {
    const std::string labels =
        label.empty() ? "" : ", labels: {pod-security.kubernetes.io/" + label + "}";
    const auto written = cluster_.create(
        cluster_.request("", "namespaces", ""),
        "{apiVersion: v1, kind: Namespace, metadata: {name: " + name + labels + "}}");
    EXPECT_TRUE(written.ok()) << written.status().message();
  }

  void add_pod(const std::string& name_space, const std::string& name, const std::string& spec) {
    Request request = cluster_.request("", "pods", "");
    request.name_space = name_space;
    const auto written = cluster_.create(
        request, "{apiVersion: v1, kind: Pod, metadata: {name: " + name + "}, spec: " + spec + "}");
    EXPECT_TRUE(written.ok()) << written.status().message();
  }

  // An update if `old` is not empty. `what`: "pods/resize".
  Answer ask(const std::string& name_space, std::string_view group, std::string_view what,
             const std::string& object, const std::string& old = "") {
    const auto parts = split_once(what, '/');
    Request request = cluster_.request(group, parts ? parts->before : what, "");
    request.name_space = name_space;
    request.user = std::make_shared<const User>(User{.name = user_});
    if (parts) request.subresource = request.resource->find_subresource(parts->after);
    const json::Document document = *json::parse_yaml(object);
    const json::Document before = *json::parse_yaml(old.empty() ? "null" : old);
    Answer answer;
    request.warnings = &answer.warnings;
    const Admission admission{.request = request,
                              .operation = old.empty() ? Operation::kCreate : Operation::kUpdate,
                              .old = before.root()};
    if (!plugin_->concerns(admission)) return answer;
    const Result<void> admitted = plugin_->validate(document.root(), admission);
    if (admitted) return answer;
    answer.refusal = admitted.status().message();
    answer.code = admitted.status().code();
    return answer;
  }

  Answer ask_for_pod(const std::string& name_space, const std::string& spec,
                     const std::string& old_spec = "", const char* what = "pods") {
    const auto pod = [](const std::string& text) {
      return "{metadata: {name: p}, spec: " + text + "}";
    };
    return ask(name_space, "", what, pod(spec), old_spec.empty() ? "" : pod(old_spec));
  }

  testkit::TestCluster cluster_{{.advertise_address = "192.0.2.1"}};
  NobodyAuthorizer nobody_;
  AdmissionMetrics metrics_{cluster_.clock};
  PolicyParams params_{*cluster_.store, cluster_.schema};
  std::unique_ptr<AdmissionPlugin> plugin_;
  std::string user_ = "somebody";
};

const std::string kPrivileged =
    "{containers: [{name: c, image: i, securityContext: {privileged: true}}]}";
const std::string kHarmless = "{containers: [{name: c, image: i}]}";
const std::string kPrivilegedText =
    "privileged (container \"c\" must not set securityContext.privileged=true)";
const std::string kUnrestrictedText =
    "allowPrivilegeEscalation != false (container \"c\" must set "
    "securityContext.allowPrivilegeEscalation=false), unrestricted capabilities (container \"c\" "
    "must set securityContext.capabilities.drop=[\"ALL\"]), runAsNonRoot != true (pod or container "
    "\"c\" must set securityContext.runAsNonRoot=true), seccompProfile (pod or container \"c\" "
    "must "
    "set securityContext.seccompProfile.type to \"RuntimeDefault\" or \"Localhost\")";

TEST_F(PodSecurityTest, RefusesPodsInUpstreamsWords) {
  EXPECT_EQ(ask_for_pod("baseline", kHarmless), Answer{});
  EXPECT_EQ(ask_for_pod("baseline", kPrivileged),
            (Answer{"pods \"p\" is forbidden: violates PodSecurity \"baseline:latest\": " +
                        kPrivilegedText,
                    403,
                    {}}));
  EXPECT_EQ(ask_for_pod("restricted", kHarmless),
            (Answer{"pods \"p\" is forbidden: violates PodSecurity \"restricted:latest\": " +
                        kUnrestrictedText,
                    403,
                    {}}));
  EXPECT_EQ(ask_for_pod("plain", kPrivileged), Answer{});
}

TEST_F(PodSecurityTest, TakesLabelsThatCantBeReadForTheStrictest) {
  EXPECT_EQ(ask_for_pod("strange", kHarmless).code, 403);
}

TEST_F(PodSecurityTest, Warns) {
  EXPECT_EQ(ask_for_pod("warned", kPrivileged),
            (Answer{"", 0, {"would violate PodSecurity \"baseline:latest\": " + kPrivilegedText}}));
  EXPECT_EQ(ask_for_pod("audited", kPrivileged), Answer{});
}

TEST_F(PodSecurityTest, LeavesTheExemptAlone) {
  EXPECT_EQ(ask_for_pod("exempt", kPrivileged), Answer{});
  EXPECT_EQ(ask_for_pod("restricted", "{hostPID: true, runtimeClassName: vm, containers: []}"),
            Answer{});
  user_ = "trusted";
  EXPECT_EQ(ask_for_pod("restricted", kPrivileged), Answer{});
}

TEST_F(PodSecurityTest, NeedsTheNamespace) {
  EXPECT_EQ(ask_for_pod("missing", kHarmless),
            (Answer{"Internal error occurred: failed to lookup namespace \"missing\"", 500, {}}));
}

TEST_F(PodSecurityTest, LooksAtUpdatesThatMatter) {
  const std::string other_image =
      "{containers: [{name: c, image: j, securityContext: {privileged: true}}]}";
  EXPECT_EQ(ask_for_pod("baseline", kPrivileged, kPrivileged), Answer{});
  EXPECT_EQ(ask_for_pod("baseline", "{activeDeadlineSeconds: 1, hostPID: true}", "{hostPID: true}"),
            Answer{});
  EXPECT_EQ(ask_for_pod("baseline", other_image, kPrivileged).code, 403);
  EXPECT_EQ(ask_for_pod("baseline", "{containers: [], initContainers: [{name: c}], hostPID: true}",
                        "{containers: []}")
                .code,
            403);
  EXPECT_EQ(ask_for_pod("baseline", kPrivileged, kPrivileged, "pods/resize"), Answer{});
  EXPECT_EQ(ask_for_pod("baseline", other_image, kPrivileged, "pods/status"), Answer{});
}

TEST_F(PodSecurityTest, LooksAtEphemeralContainers) {
  const std::string old =
      "{hostPID: true, ephemeralContainers: [{name: e, image: i}], containers: [{name: c}]}";
  const auto with = [](const std::string& containers) {
    return "{hostPID: true, ephemeralContainers: [" + containers + "], containers: [{name: c}]}";
  };
  const char* part = "pods/ephemeralcontainers";
  EXPECT_EQ(ask_for_pod("baseline", old, old, part), Answer{});
  EXPECT_EQ(
      ask_for_pod("baseline", with("{name: e, image: i}, {name: f, image: i}"), old, part).code,
      403);
  EXPECT_EQ(ask_for_pod("baseline", with("{name: e, image: j}"), old, part).code, 403);
}

TEST_F(PodSecurityTest, WarnsAboutTemplates) {
  const Answer warned{"", 0, {"would violate PodSecurity \"baseline:latest\": " + kPrivilegedText}};
  const auto in_spec = "{spec: {template: {spec: " + kPrivileged + "}}}";
  for (const char* resource : {"deployments", "replicasets", "statefulsets", "daemonsets"}) {
    EXPECT_EQ(ask("baseline", "apps", resource, in_spec), warned) << resource;
  }
  EXPECT_EQ(ask("baseline", "batch", "jobs", in_spec), warned);
  EXPECT_EQ(ask("baseline", "batch", "cronjobs", "{spec: {jobTemplate: " + in_spec + "}}"), warned);
  EXPECT_EQ(ask("baseline", "", "replicationcontrollers", in_spec), warned);
  EXPECT_EQ(ask("baseline", "", "podtemplates", "{template: {spec: " + kPrivileged + "}}"), warned);
  // Also if nothing relevant changed.
  EXPECT_EQ(ask("baseline", "apps", "deployments", in_spec, in_spec), warned);
  EXPECT_EQ(ask("baseline", "apps", "deployments/scale", in_spec, in_spec), Answer{});
  EXPECT_EQ(ask("baseline", "", "replicationcontrollers", "{spec: {}}"), Answer{});
  EXPECT_EQ(ask("missing", "apps", "deployments", in_spec), Answer{});
  EXPECT_EQ(ask("exempt", "apps", "deployments", in_spec), Answer{});
  EXPECT_EQ(ask("baseline", "", "services", in_spec), Answer{});
}

// A namespace with these labels, given without their prefix.
std::string make_namespace(const std::string& name, const std::string& labels) {
  std::string text = "{metadata: {name: " + name + ", labels: {a: b";
  for (const std::string_view label : split(labels, ' ')) {
    if (!label.empty()) text += ", pod-security.kubernetes.io/" + std::string(label);
  }
  for (size_t at = 0; (at = text.find('=', at)) != std::string::npos;) text.replace(at, 1, ": ");
  return text + "}}}";
}

TEST_F(PodSecurityTest, ChecksLabelsOfNamespaces) {
  const auto create = [&](const std::string& labels) {
    return ask("", "", "namespaces", make_namespace("new", labels));
  };
  const auto update = [&](const std::string& labels, const std::string& old) {
    return ask("", "", "namespaces", make_namespace("new", labels), make_namespace("new", old));
  };
  EXPECT_EQ(create("enforce=privileged enforce-version=v1.0"), Answer{});
  EXPECT_EQ(create("enforce=restricted"), Answer{});
  EXPECT_EQ(create("enforce=unknown"),
            (Answer{"Namespace \"new\" is invalid: "
                    "metadata.labels[pod-security.kubernetes.io/enforce]: Invalid value: "
                    "\"unknown\": must be one of privileged, baseline, restricted",
                    422,
                    {}}));
  EXPECT_EQ(update("enforce=unknown", "enforce=unknown"), Answer{});
  EXPECT_EQ(update("enforce=unknown", "enforce=other").code, 422);
  EXPECT_EQ(update("enforce=baseline enforce-version=x", "enforce=baseline").code, 422);
}

TEST_F(PodSecurityTest, ReviewsPodsWhenTheLevelRises) {
  add_pod("plain", "loud", "{hostPID: true, containers: [{name: c, image: i}]}");
  add_pod("plain", "quiet", kHarmless);
  const auto update = [&](const std::string& labels, const std::string& old) {
    return ask("", "", "namespaces", make_namespace("plain", labels), make_namespace("plain", old));
  };
  const Answer told{"",
                    0,
                    {"existing pods in namespace \"plain\" violate the new PodSecurity enforce "
                     "level \"baseline:latest\"",
                     "loud: host namespaces"}};
  EXPECT_EQ(update("enforce=baseline", ""), told);
  EXPECT_EQ(update("enforce=baseline", "enforce=baseline enforce-version=v1.0"), told);
  EXPECT_EQ(update("enforce=baseline", "enforce=baseline"), Answer{});
  EXPECT_EQ(update("enforce=baseline", "enforce=restricted"), Answer{});
  EXPECT_EQ(update("enforce=privileged enforce-version=v1.1", "enforce=baseline"), Answer{});
  EXPECT_EQ(update("", "enforce=restricted"), Answer{});
  EXPECT_EQ(ask("", "", "namespaces", make_namespace("plain", "enforce=baseline")), Answer{});
}

TEST_F(PodSecurityTest, SaysThatExemptNamespacesStayExempt) {
  const auto ignored = [](const std::string& policy) {
    return Answer{"",
                  0,
                  {"namespace \"exempt\" is exempt from Pod Security, and the policy (" + policy +
                   ") will be ignored"}};
  };
  EXPECT_EQ(ask("", "", "namespaces", make_namespace("exempt", "enforce=restricted")),
            ignored("enforce=restricted:latest"));
  EXPECT_EQ(ask("", "", "namespaces", make_namespace("exempt", "warn=baseline")),
            ignored("warn=baseline:latest"));
  EXPECT_EQ(ask("", "", "namespaces", make_namespace("exempt", "enforce-version=v1.24")), Answer{});
  EXPECT_EQ(ask("", "", "namespaces",
                make_namespace("exempt",
                               "enforce=restricted enforce-version=v1.0 "
                               "audit=restricted warn=baseline"),
                make_namespace("exempt", "")),
            ignored("enforce=restricted:v1.0, audit=restricted:latest, warn=baseline:latest"));
}

TEST_F(PodSecurityTest, CountsWhatItDecides) {
  const auto has = [this](const std::string& line) {
    MetricsText text;
    plugin_->write_metrics(text);
    return text.take().find("\npod_security_" + line + "\n") != std::string::npos;
  };
  const auto evaluations = [](const std::string& decision, const std::string& level,
                              const std::string& mode, const std::string& resource, int count) {
    return "evaluations_total{decision=\"" + decision + "\",policy_level=\"" + level +
           "\",policy_version=\"latest\",mode=\"" + mode +
           "\",request_operation=\"create\",resource=\"" + resource + "\",subresource=\"\"} " +
           std::to_string(count);
  };
  EXPECT_TRUE(has(evaluations("allow", "privileged", "enforce", "pod", 0)));
  EXPECT_TRUE(has(
      R"(exemptions_total{request_operation="update",resource="controller",subresource=""} 0)"));
  ask_for_pod("plain", kPrivileged);
  ask_for_pod("baseline", kHarmless);
  ask_for_pod("baseline", kPrivileged);
  ask_for_pod("audited", kPrivileged);
  ask_for_pod("warned", kPrivileged);
  ask_for_pod("exempt", kPrivileged);
  ask_for_pod("strange", kPrivileged);
  EXPECT_EQ(ask_for_pod("nowhere", kPrivileged).code, 500);
  ask("warned", "apps", "deployments", "{spec: {template: {spec: " + kPrivileged + "}}}");
  EXPECT_TRUE(has(evaluations("allow", "privileged", "enforce", "pod", 3)));
  EXPECT_TRUE(has(evaluations("allow", "baseline", "enforce", "pod", 1)));
  EXPECT_TRUE(has(evaluations("deny", "baseline", "enforce", "pod", 1)));
  EXPECT_TRUE(has(evaluations("deny", "baseline", "audit", "pod", 1)));
  EXPECT_TRUE(has(evaluations("deny", "baseline", "warn", "pod", 1)));
  EXPECT_TRUE(has(evaluations("deny", "restricted", "enforce", "pod", 1)));
  EXPECT_TRUE(has(evaluations("deny", "baseline", "warn", "controller", 1)));
  EXPECT_TRUE(
      has(R"(exemptions_total{request_operation="create",resource="pod",subresource=""} 1)"));
  EXPECT_TRUE(has(
      R"(errors_total{fatal="false",request_operation="create",resource="pod",subresource=""} 1)"));
  EXPECT_TRUE(has(
      R"(errors_total{fatal="true",request_operation="create",resource="pod",subresource=""} 1)"));
}

}  // namespace
}  // namespace proa::apiserver
