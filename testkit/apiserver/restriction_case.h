#pragma once

#include <gtest/gtest.h>

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "api/schema/builtin.h"
#include "apiserver/access/admission/admission_metrics.h"
#include "apiserver/access/admission/nodes/node_restriction.h"
#include "apiserver/access/admission/policies/params.h"
#include "apiserver/access/authz/authorizer.h"
#include "apiserver/objects/keys.h"
#include "base/strings.h"
#include "json/parse.h"
#include "json/print.h"
#include "store/memory/memory_store.h"
#include "testkit/fake_clock.h"

// Shared by NodeRestriction tests: a store with objects, and requests by a node.

namespace proa::apiserver {

inline User node_user(std::string_view node) {
  return {.name = "system:node:" + std::string(node),
          .uid = {},
          .groups = {"system:nodes", "system:authenticated"},
          .extra = {}};
}

class RestrictionTest : public testing::Test {
 protected:
  class Answers final : public Authorizer {
   public:
    Verdict authorize(const Attributes& attributes) override {
      asked = std::string(attributes.user->name) + " " + std::string(attributes.verb) + " " +
              std::string(attributes.group) + "/" + std::string(attributes.version) + " " +
              std::string(attributes.resource) + " " + std::string(attributes.name_space) + "/" +
              std::string(attributes.name);
      return {decision};
    }
    void list_rules(const User&, std::string_view, RuleList&) override {}

    Decision decision = Decision::kNoOpinion;
    std::string asked;
  };

  void put(const std::string& key, const std::string& json) {
    const json::Document document = json::parse(json).value();
    ASSERT_TRUE(
        store_
            ->commit({.compares = {},
                      .operations = {store::Put{.key = "/registry/" + key,
                                                .value = Bytes(json::print(document.root()))}}},
                     store::Durability::kSynced)
            .ok());
  }
  // In the namespace "ns", with the uid "pod-uid".
  void put_pod(const std::string& name, const std::string& node, const std::string& spec = "") {
    put("pods/ns/" + name, R"({"metadata":{"name":")" + name +
                               R"(","namespace":"ns","uid":"pod-uid"},"spec":{"nodeName":")" +
                               node + "\"" + spec + "}}");
  }

  // The plugin's message: "" if allowed. `resource`: "leases.coordination.k8s.io", "pods/status";
  // `place`: "NAMESPACE/NAME", or one of both.
  std::string ask(Operation operation, std::string_view resource, std::string_view place,
                  const std::string& object = "null", const std::string& old = "null") {
    Request request;
    request.user = std::make_shared<const User>(user_);
    std::string_view part;
    if (const auto halves = split_once(resource, '/')) {
      resource = halves->before;
      part = halves->after;
    }
    std::string_view group;
    if (const auto halves = split_once(resource, '.')) {
      resource = halves->before;
      group = halves->after;
    }
    request.resource = api::builtin_schema().find_resource(group, "v1", resource);
    if (!part.empty()) request.subresource = request.resource->find_subresource(part);
    request.name = place;
    if (const auto halves = split_once(place, '/')) {
      request.name_space = halves->before;
      request.name = halves->after;
    }
    json::Document document = json::parse(object).value();
    const json::Document before = json::parse(old).value();
    const Admission admission{
        .request = request, .operation = operation, .old = before.root(), .dry_run = false};
    if (!plugin_->concerns(admission)) return "";
    const Result<void> result = operation == Operation::kDelete
                                    ? plugin_->validate(api::View(), admission)
                                    : plugin_->admit(api::Edit(document), admission);
    if (result.ok()) return "";
    last_ = std::make_unique<Status>(result.status());
    return result.status().message();
  }
  std::string create(std::string_view resource, std::string_view place, const std::string& object) {
    return ask(Operation::kCreate, resource, place, object);
  }
  std::string update(std::string_view resource, std::string_view place, const std::string& object,
                     const std::string& old) {
    return ask(Operation::kUpdate, resource, place, object, old);
  }
  std::string remove(std::string_view resource, std::string_view place, const std::string& old) {
    return ask(Operation::kDelete, resource, place, "null", old);
  }

  testkit::FakeClock clock_;
  SeededRandom random_{1};
  std::unique_ptr<store::Store> store_ = store::make_memory_store(clock_);
  Answers answers_;
  AdmissionMetrics metrics_{clock_};
  PolicyParams params_{*store_, api::builtin_schema()};
  const std::vector<IpPrefix> pod_ranges_ = {parse_prefix("10.244.0.0/16").value()};
  std::unique_ptr<AdmissionPlugin> plugin_ = make_node_restriction({.store = *store_,
                                                                    .schema = api::builtin_schema(),
                                                                    .clock = clock_,
                                                                    .random = random_,
                                                                    .authorizer = answers_,
                                                                    .metrics = metrics_,
                                                                    .params = params_,
                                                                    .pod_ranges = pod_ranges_});
  User user_ = node_user("mynode");
  std::unique_ptr<Status> last_;  // the last rejection
};

}  // namespace proa::apiserver
