#include "apiserver/access/admission/quota/decision.h"

#include <gtest/gtest.h>

#include <filesystem>

#include "base/strings.h"
#include "kinds/core/quota/usage/fake_cluster_objects.h"
#include "testkit/golden.h"

namespace proa::apiserver::quota {
namespace {

using kinds::quota::FakeClusterObjects;
using kinds::quota::GroupResource;
using kinds::quota::read_amounts;

// Runs testdata/decisions.txt:
//   quotas          those of the namespace, from now on: {name: {scopes, hard, used}}
//   limited         the configuration's limitedResources, from now on
//   write RESOURCE  a write of {new, old}, and the decision
class Script {
 public:
  std::string run(std::string_view command) {
    const auto parts = split_once(command, '\n');
    const std::vector<std::string_view> words = split(parts ? parts->before : command, ' ');
    const json::Document document = *json::parse_yaml(parts ? parts->after : "{}");
    if (words[0] == "quotas") return set_quotas(document.root());
    if (words[0] == "limited") return set_limited(parts->after);
    if (words[0] == "write") return write(words.at(1), document.root());
    return "no such command\n";
  }

 private:
  std::string set_quotas(api::View list) {
    quotas_.clear();
    for (const json::Member& member : list.members()) {
      const api::View quota = member.value;
      quotas_.push_back({.name = std::string(member.key),
                         .scopes = kinds::quota::scope_rules_of(quota),
                         .hard = read_amounts(quota["hard"]),
                         .used = read_amounts(quota["used"])});
    }
    return "";
  }

  std::string set_limited(std::string_view list) {
    const json::Document document = *json::parse_yaml(
        "apiVersion: apiserver.config.k8s.io/v1\nkind: ResourceQuotaConfiguration\n"
        "limitedResources:\n" +
        std::string(list));
    Result<Configuration> read = read_configuration(document.root());
    if (!read) return read.status().message() + "\n";
    configuration_ = *std::move(read);
    return "";
  }

  // `path`: "pods/resize", "jobs.batch".
  std::string write(std::string_view path, api::View objects) {
    const auto parts = split_once(path, '/');
    const GroupResource what(parts ? parts->before : path);
    const auto evaluator = kinds::quota::evaluator_of(what.group, what.resource);
    const Demand demand{.evaluator = *evaluator,
                        .group = what.group,
                        .resource = what.resource,
                        .change = {.subresource = parts ? parts->after : std::string_view(),
                                   .object = objects["new"],
                                   .old = objects["old"]},
                        .cluster = cluster_};
    if (!evaluator->concerns(demand.change)) return "nothing to measure\n";
    const Result<Decision> decision = decide(demand, quotas_, configuration_);
    if (!decision) return decision.status().message() + "\n";
    if (!decision->refusal.empty()) {
      return decision->refusal + (decision->is_unexplained ? " (500)\n" : "\n");
    }
    std::string text;
    for (size_t i = 0; i < quotas_.size(); ++i) {
      const Amounts& charge = decision->charges[i];
      if (!charge.empty()) text += quotas_[i].name + ": " + kinds::quota::text_of(charge) + "\n";
    }
    return text.empty() ? "charges nothing\n" : text;
  }

  FakeClusterObjects cluster_;
  std::vector<QuotaFacts> quotas_;
  Configuration configuration_;
};

TEST(DecideQuota, ChargesAndRefusesAsUpstreamDoes) {
  Script script;
  testkit::run_golden(std::filesystem::path(__FILE__).parent_path() / "testdata/decisions.txt",
                      [&](std::string_view command) { return script.run(command); });
}

}  // namespace
}  // namespace proa::apiserver::quota
