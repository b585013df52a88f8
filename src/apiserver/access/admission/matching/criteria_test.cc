#include "apiserver/access/admission/matching/criteria.h"

#include <gtest/gtest.h>

#include "apiserver/access/admission/cluster/plugin_case.h"
#include "apiserver/access/admission/matching/versions.h"
#include "base/strings.h"

namespace proa::apiserver {
namespace {

// A write, and what matches it.
class Write {
 public:
  Write(Operation operation, std::string_view group, std::string_view version,
        std::string_view resource, std::string_view subresource = "")
      : operation_(operation) {
    request_.resource = api::builtin_schema().find_resource(group, version, resource);
    CHECK(request_.resource != nullptr);
    if (request_.resource->namespaced) request_.name_space = "default";
    if (!subresource.empty()) {
      request_.subresource = request_.resource->find_subresource(subresource);
    }
  }
  Write& named(std::string_view name) {
    request_.name = name;
    return *this;
  }
  Write& in(std::string_view name_space) {
    request_.name_space = name_space;
    return *this;
  }
  Write& object(std::string_view yaml) {
    object_ = std::make_shared<const json::Document>(json::parse_yaml(yaml).value());
    return *this;
  }
  Write& old(std::string_view yaml) {
    old_ = std::make_shared<const json::Document>(json::parse_yaml(yaml).value());
    return *this;
  }

  // "apps/v1/deployments Deployment", "no", or the failure. `yaml`: MatchResources.
  std::string match(PluginWorld& world, std::string_view yaml) const {
    return matched(world, yaml, [](api::View match) { return MatchCriteria::of_policy(match); });
  }
  std::string match_webhook(PluginWorld& world, std::string_view yaml) const {
    return matched(world, yaml, [](api::View match) { return MatchCriteria::of_webhook(match); });
  }

  Admission admission() const {
    return {.request = request_, .operation = operation_, .old = old_->root()};
  }
  api::View sent() const { return object_->root(); }

 private:
  template <typename Make>
  std::string matched(PluginWorld& world, std::string_view yaml, Make make) const {
    const AdmissionContext context = world.context();
    const Admission shown = admission();
    const Subject subject(shown, object_->root(), ObjectReader(context.store, context.schema));
    const json::Document document = json::parse_yaml(yaml).value();
    const auto found = make(document.root()).match(subject, Equivalents(context.schema));
    if (!found) return found.status().message();
    if (!*found) return "no";
    const api::Resource& resource = *(*found)->resource;
    std::string text(resource.group);
    text.append("/").append(resource.version).append("/").append(resource.name);
    return text.append(" ").append((*found)->kind->name);
  }

  const Operation operation_;
  Request request_;
  std::shared_ptr<const json::Document> object_ = std::make_shared<const json::Document>();
  std::shared_ptr<const json::Document> old_ = object_;
};

std::string rules(std::string_view rule, std::string_view more = "") {
  return "{matchPolicy: Exact, namespaceSelector: {}, objectSelector: {}, resourceRules: [" +
         std::string(rule) + "]" + std::string(more) + "}";
}

constexpr std::string_view kPods =
    "{operations: [CREATE], apiGroups: [''], apiVersions: [v1], resources: [pods]}";

TEST(MatchRules, OperationsGroupsVersionsAndResourcesAllMatch) {
  struct Case {
    const char* name;
    const char* rule;
    const char* expected;
  };
  const Case cases[] = {
      {"exact", kPods.data(), "/v1/pods Pod"},
      {"everything", "{operations: ['*'], apiGroups: ['*'], apiVersions: ['*'], resources: ['*']}",
       "/v1/pods Pod"},
      {"other operation",
       "{operations: [UPDATE, DELETE], apiGroups: [''], apiVersions: [v1], resources: [pods]}",
       "no"},
      {"other group",
       "{operations: [CREATE], apiGroups: [apps], apiVersions: [v1], "
       "resources: [pods]}",
       "no"},
      {"other version",
       "{operations: [CREATE], apiGroups: [''], apiVersions: [v2], "
       "resources: [pods]}",
       "no"},
      {"subresources only",
       "{operations: [CREATE], apiGroups: [''], apiVersions: [v1], "
       "resources: [pods/status, '*/scale']}",
       "no"},
      {"any subresource, too",
       "{operations: [CREATE], apiGroups: [''], apiVersions: [v1], "
       "resources: ['pods/*']}",
       "/v1/pods Pod"},
      {"of namespaces",
       "{operations: [CREATE], apiGroups: [''], apiVersions: [v1], "
       "resources: [pods], scope: Namespaced}",
       "/v1/pods Pod"},
      {"of the cluster",
       "{operations: [CREATE], apiGroups: [''], apiVersions: [v1], "
       "resources: [pods], scope: Cluster}",
       "no"},
      {"another name",
       "{operations: [CREATE], apiGroups: [''], apiVersions: [v1], "
       "resources: [pods], resourceNames: [db]}",
       "no"},
      {"its name",
       "{operations: [CREATE], apiGroups: [''], apiVersions: [v1], "
       "resources: [pods], resourceNames: [db, web]}",
       "/v1/pods Pod"},
  };
  PluginWorld world;
  Write write(Operation::kCreate, "", "v1", "pods");
  write.object("{metadata: {name: web}}");
  for (const Case& c : cases) {
    SCOPED_TRACE(c.name);
    EXPECT_EQ(write.match(world, rules(c.rule)), c.expected);
  }
}

TEST(MatchRules, SubresourcesHaveTheirOwnKind) {
  PluginWorld world;
  const Write scale = Write(Operation::kUpdate, "apps", "v1", "deployments", "scale").named("web");
  EXPECT_EQ(scale.match(world, rules("{operations: ['*'], apiGroups: [apps], apiVersions: ['*'], "
                                     "resources: ['*/scale']}")),
            "apps/v1/deployments Scale");
  EXPECT_EQ(scale.match(world, rules("{operations: ['*'], apiGroups: [apps], apiVersions: ['*'], "
                                     "resources: ['*']}")),
            "no");
}

TEST(MatchRules, ANamespaceBelongsToTheCluster) {
  PluginWorld world;
  const Write write = Write(Operation::kUpdate, "", "v1", "namespaces").named("a");
  const std::string rule =
      "{operations: ['*'], apiGroups: [''], apiVersions: [v1], resources: [namespaces], scope: ";
  EXPECT_EQ(write.match(world, rules(rule + "Cluster}")), "/v1/namespaces Namespace");
  EXPECT_EQ(write.match(world, rules(rule + "Namespaced}")), "no");
}

TEST(MatchRules, ExcludedRequestsDoNotMatch) {
  PluginWorld world;
  const Write write = Write(Operation::kCreate, "", "v1", "pods").object("{metadata: {name: web}}");
  const std::string exclude =
      ", excludeResourceRules: [{operations: ['*'], apiGroups: ['*'], "
      "apiVersions: ['*'], resources: ['*'], resourceNames: [";
  EXPECT_EQ(write.match(world, rules(kPods, exclude + "web]}]")), "no");
  EXPECT_EQ(write.match(world, rules(kPods, exclude + "db]}]")), "/v1/pods Pod");
}

TEST(MatchRules, WithoutRulesAPolicyMatchesAllAndAWebhookNothing) {
  PluginWorld world;
  const Write write = Write(Operation::kCreate, "", "v1", "pods").object("{metadata: {name: web}}");
  const char* selectors = "{namespaceSelector: {}, objectSelector: {}}";
  EXPECT_EQ(write.match(world, selectors), "/v1/pods Pod");
  EXPECT_EQ(write.match_webhook(world, selectors), "no");
  EXPECT_EQ(write.match_webhook(world, "{namespaceSelector: {}, objectSelector: {}, rules: [" +
                                           std::string(kPods) + "]}"),
            "/v1/pods Pod");
}

TEST(MatchRules, EquivalentVersionsMatchUnlessExact) {
  PluginWorld world;
  const Write write =
      Write(Operation::kUpdate, "autoscaling", "v1", "horizontalpodautoscalers").named("web");
  const std::string rule =
      "{namespaceSelector: {}, objectSelector: {}, resourceRules: [{operations: ['*'], apiGroups: "
      "[autoscaling], apiVersions: [v2], resources: [horizontalpodautoscalers]}], matchPolicy: ";
  EXPECT_EQ(write.match(world, rule + "Equivalent}"),
            "autoscaling/v2/horizontalpodautoscalers HorizontalPodAutoscaler");
  EXPECT_EQ(write.match(world, rule + "Exact}"), "no");
  const Write event = Write(Operation::kCreate, "events.k8s.io", "v1", "events");
  EXPECT_EQ(event.match(world,
                        "{namespaceSelector: {}, objectSelector: {}, matchPolicy: "
                        "Equivalent, resourceRules: [{operations: ['*'], apiGroups: [''], "
                        "apiVersions: [v1], resources: [events]}]}"),
            "/v1/events Event");
}

TEST(MatchSelectors, LabelsOfTheNamespaceDecide) {
  PluginWorld world;
  world.put("", "namespaces", "{metadata: {name: default, labels: {env: prod}}}");
  const Write write = Write(Operation::kCreate, "", "v1", "pods").object("{metadata: {name: web}}");
  const auto with = [](std::string_view selector) {
    return "{objectSelector: {}, resourceRules: [" + std::string(kPods) +
           "], namespaceSelector: " + std::string(selector) + "}";
  };
  EXPECT_EQ(write.match(world, with("{matchLabels: {env: prod}}")), "/v1/pods Pod");
  EXPECT_EQ(write.match(world, with("{matchLabels: {env: test}}")), "no");
  Write elsewhere = write;
  elsewhere.in("gone");
  EXPECT_EQ(elsewhere.match(world, with("{matchLabels: {env: prod}}")),
            "namespaces \"gone\" not found");
  // Where nothing else matches, an unknown namespace does not matter.
  const Write deletion = Write(Operation::kDelete, "", "v1", "pods").named("web").in("gone");
  EXPECT_EQ(deletion.match(world, with("{matchLabels: {env: prod}}")), "no");
}

TEST(MatchSelectors, AWrittenNamespaceIsSelectedByItsNewLabels) {
  PluginWorld world;
  world.put("", "namespaces", "{metadata: {name: a, labels: {env: test}}}");
  const std::string criteria =
      "{objectSelector: {}, namespaceSelector: {matchLabels: {env: prod}}, resourceRules: "
      "[{operations: ['*'], apiGroups: [''], apiVersions: [v1], resources: [namespaces]}]}";
  const Write update = Write(Operation::kUpdate, "", "v1", "namespaces")
                           .named("a")
                           .object("{metadata: {name: a, labels: {env: prod}}}");
  EXPECT_EQ(update.match(world, criteria), "/v1/namespaces Namespace");
  const Write removal = Write(Operation::kDelete, "", "v1", "namespaces").named("a");
  EXPECT_EQ(removal.match(world, criteria), "no");
}

TEST(MatchSelectors, ObjectsOfTheClusterAreInEveryNamespace) {
  PluginWorld world;
  const Write write = Write(Operation::kCreate, "", "v1", "nodes").object("{metadata: {name: n}}");
  EXPECT_EQ(write.match(world,
                        "{objectSelector: {}, namespaceSelector: {matchLabels: {a: b}}, "
                        "resourceRules: [{operations: ['*'], apiGroups: [''], apiVersions: "
                        "[v1], resources: [nodes]}]}"),
            "/v1/nodes Node");
}

TEST(MatchSelectors, TheOldOrTheNewObjectIsSelected) {
  PluginWorld world;
  const std::string criteria =
      "{namespaceSelector: {}, objectSelector: {matchLabels: {app: web}}, resourceRules: "
      "[{operations: ['*'], apiGroups: [''], apiVersions: [v1], resources: [pods]}]}";
  constexpr std::string_view kLabelled = "{metadata: {name: web, labels: {app: web}}}";
  constexpr std::string_view kPlain = "{metadata: {name: web}}";
  const Write update(Operation::kUpdate, "", "v1", "pods");
  EXPECT_EQ(Write(update).old(kLabelled).object(kPlain).match(world, criteria), "/v1/pods Pod");
  EXPECT_EQ(Write(update).old(kPlain).object(kLabelled).match(world, criteria), "/v1/pods Pod");
  EXPECT_EQ(Write(update).old(kPlain).object(kPlain).match(world, criteria), "no");
}

TEST(MatchSelectors, AnInvalidSelectorFailsIfItDecides) {
  PluginWorld world;
  const Write write = Write(Operation::kCreate, "", "v1", "pods").object("{metadata: {name: web}}");
  const std::string criteria =
      "{namespaceSelector: {}, objectSelector: {matchExpressions: [{key: a, operator: Near}]}, "
      "resourceRules: [{operations: [CREATE], apiGroups: [''], apiVersions: [v1], resources: [";
  EXPECT_TRUE(write.match(world, criteria + "pods]}]}").starts_with("Internal error occurred: "));
  EXPECT_EQ(write.match(world, criteria + "nodes]}]}"), "no");
}

TEST(MatchCriteria, ListsTheResourcesThatMayMatch) {
  const auto listed = [](std::string_view yaml) {
    const json::Document document = json::parse_yaml(yaml).value();
    const MatchCriteria criteria = MatchCriteria::of_policy(document.root());
    std::vector<std::string_view> names;
    const bool all = !criteria.lists_resources(names);
    return all ? "*" : join(names, ",");
  };
  EXPECT_EQ(listed("{resourceRules: [{resources: [pods, pods/status]}, {resources: [nodes]}]}"),
            "pods,pods,nodes");
  EXPECT_EQ(listed("{resourceRules: [{resources: [pods]}, {resources: ['*/scale']}]}"), "*");
  EXPECT_EQ(listed("{}"), "*");
}

TEST(ObjectVersions, ConvertsOnceToTheMatchedVersion) {
  PluginWorld world;
  const AdmissionContext context = world.context();
  Write write(Operation::kUpdate, "autoscaling", "v2", "horizontalpodautoscalers");
  write.named("web")
      .object(
          "{apiVersion: autoscaling/v2, kind: HorizontalPodAutoscaler, metadata: {name: web}, "
          "spec: {maxReplicas: 3, scaleTargetRef: {kind: Deployment, name: web}, metrics: "
          "[{type: Resource, resource: {name: cpu, target: {type: Utilization, "
          "averageUtilization: 80}}}]}}")
      .old(
          "{apiVersion: autoscaling/v2, kind: HorizontalPodAutoscaler, metadata: {name: web}, "
          "spec: {maxReplicas: 2, scaleTargetRef: {kind: Deployment, name: web}}}");
  const Admission admission = write.admission();
  const Subject subject(admission, write.sent(), ObjectReader(context.store, context.schema));
  ObjectVersions versions(subject);
  const api::Resource* v1 =
      context.schema.find_resource("autoscaling", "v1", "horizontalpodautoscalers");
  const auto as_v1 = versions.in({v1, v1->type}).value();
  EXPECT_EQ(as_v1.object["apiVersion"].text(), "autoscaling/v1");
  EXPECT_EQ(as_v1.object["spec"]["targetCPUUtilizationPercentage"].integer(), 80);
  EXPECT_EQ(as_v1.old["spec"]["maxReplicas"].integer(), 2);
  EXPECT_EQ(versions.in({v1, v1->type}).value().object.value(), as_v1.object.value());
  const auto own = versions.in({&subject.resource(), &subject.kind()}).value();
  EXPECT_EQ(own.object.value(), write.sent().value());
}

TEST(Subject, ConfigurationsOfAdmissionAreExempt) {
  Request request;
  request.resource = api::builtin_schema().find_resource("admissionregistration.k8s.io", "v1",
                                                         "validatingwebhookconfigurations");
  EXPECT_TRUE(configures_admission(request));
  request.resource = api::builtin_schema().find_resource("", "v1", "pods");
  EXPECT_FALSE(configures_admission(request));
}

}  // namespace
}  // namespace proa::apiserver
