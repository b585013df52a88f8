#include "kinds/core/quota/usage/evaluator.h"

#include <gtest/gtest.h>

#include <filesystem>

#include "base/strings.h"
#include "kinds/core/quota/usage/fake_cluster_objects.h"
#include "testkit/golden.h"

namespace proa::kinds::quota {
namespace {

// Runs testdata/usage.txt:
//   usage RESOURCE            the usage of the object below
//   missing NAME,NAME         what the pod below lacks if these names are limited
//   scopes RESOURCE           which of the rules, one per line, the object after them matches
//   measures RESOURCE NAME..  which of the names are measured
//   given RESOURCE            adds the object below to the cluster
//   namespace NAME..          what all objects that are given use together, within the scopes below
class Script {
 public:
  std::string run(std::string_view command) {
    const auto parts = split_once(command, '\n');
    const std::vector<std::string_view> words = split(parts ? parts->before : command, ' ');
    const std::string_view text = parts ? parts->after : "";
    if (words[0] == "usage") return usage(GroupResource(words.at(1)), text);
    if (words[0] == "missing") return missing(words.at(1), text);
    if (words[0] == "scopes") return scopes(GroupResource(words.at(1)), text);
    if (words[0] == "measures") return measures(words);
    if (words[0] == "namespace") return all(words, text);
    if (words[0] != "given") return "no such command\n";
    const GroupResource what(words.at(1));
    cluster_.add(what.group, what.resource, text);
    return "";
  }

 private:
  static std::string lines(const Result<Amounts>& amounts) {
    if (!amounts) return amounts.status().message() + "\n";
    std::string text;
    for (const auto& [name, quantity] : *amounts) text += name + "=" + quantity.str() + "\n";
    return text;
  }

  std::string usage(const GroupResource& what, std::string_view text) const {
    const json::Document object = *json::parse_yaml(text);
    return lines(evaluator_of(what.group, what.resource)->usage(object.root(), cluster_));
  }

  static std::string missing(std::string_view names, std::string_view text) {
    const json::Document pod = *json::parse_yaml(text);
    ResourceNames limited;
    for (const std::string_view name : split(names, ',')) limited.emplace(name);
    const std::string missing = evaluator_of("", "pods")->missing(pod.root(), limited);
    return (missing.empty() ? "nothing" : missing) + "\n";
  }

  static std::string scopes(const GroupResource& what, std::string_view text) {
    const json::Document document = *json::parse_yaml(text);
    const auto evaluator = evaluator_of(what.group, what.resource);
    std::string found;
    for (const ScopeRule& rule : scope_rules_of(api::View(document.root())["quota"])) {
      if (evaluator->is_in_scope(document.root(), rule)) found += rule.text() + "\n";
    }
    return found;
  }

  std::string measures(const std::vector<std::string_view>& words) const {
    const GroupResource what(words.at(1));
    const ResourceNames names(words.begin() + 2, words.end());
    return text_of(evaluator_of(what.group, what.resource)->measured(names, cluster_)) + "\n";
  }

  std::string all(const std::vector<std::string_view>& words, std::string_view text) const {
    const json::Document spec = *json::parse_yaml(text.empty() ? "{}" : text);
    const ResourceNames names(words.begin() + 1, words.end());
    return lines(usage_of_namespace("n", names, scope_rules_of(spec.root()), cluster_));
  }

  FakeClusterObjects cluster_;
};

TEST(QuotaEvaluator, MeasuresWhatUpstreamDoes) {
  Script script;
  testkit::run_golden(std::filesystem::path(__FILE__).parent_path() / "testdata/usage.txt",
                      [&](std::string_view command) { return script.run(command); });
}

TEST(QuotaEvaluator, CountsNoEvents) {
  EXPECT_FALSE(is_measured("", "events"));
  EXPECT_FALSE(is_measured("events.k8s.io", "events"));
  EXPECT_FALSE(is_measured("authorization.k8s.io", "localsubjectaccessreviews"));
  EXPECT_TRUE(is_measured("example.com", "events"));
  EXPECT_TRUE(is_measured("", "pods"));
}

TEST(QuotaEvaluator, TakesAnything) {
  const FakeClusterObjects cluster;
  for (const char* text :
       {"null", "1", "[]", "{spec: [], status: 1}", "{spec: {containers: [1, {resources: 2}]}}",
        "{spec: {containers: [{name: a}], overhead: [1]}, status: {containerStatuses: [{name: a, "
        "resources: {requests: {cpu: x}}}, 3, {resources: 1}]}}",
        "{spec: {containers: {a: b}, initContainers: [null]}, status: {containerStatuses: "
        "[{resources: {}}]}}",
        "{spec: {ports: 1, type: LoadBalancer, resources: {requests: {storage: -1}}}}",
        "{metadata: {deletionTimestamp: x, deletionGracePeriodSeconds: -9223372036854775808}}",
        "{metadata: {deletionTimestamp: '1700-01-01T00:00:00Z', deletionGracePeriodSeconds: "
        "9223372036854775807}}",
        "{spec: {devices: {requests: [1, {exactly: 1}, {firstAvailable: [1]}]}}}"}) {
    SCOPED_TRACE(text);
    const json::Document object = *json::parse_yaml(text);
    for (const char* name : {"pods", "services", "persistentvolumeclaims",
                             "resourceclaims.resource.k8s.io", "secrets"}) {
      const GroupResource what(name);
      const auto evaluator = evaluator_of(what.group, what.resource);
      EXPECT_TRUE(evaluator->usage(object.root(), cluster).ok());
      evaluator->missing(object.root(), {"cpu"});
      for (const char* scope : {"BestEffort", "Terminating", "PriorityClass",
                                "VolumeAttributesClass", "CrossNamespacePodAffinity", ""}) {
        evaluator->is_in_scope(object.root(), {scope, "NotIn", {}});
      }
    }
  }
}

}  // namespace
}  // namespace proa::kinds::quota
