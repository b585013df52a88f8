#pragma once

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "api/object/view.h"
#include "controllers/framework/conditions.h"
#include "controllers/pods/pod_facts.h"
#include "controllers/workload/deployment/deployments.h"
#include "controllers/workload/deployment/facts.h"
#include "controllers/workload/replicas/replica_sets.h"
#include "testkit/controllers/test_world.h"

namespace proa::controllers {

using std::chrono::seconds;

// A deployment "web" with its replica sets, and pods that become ready on request.
class DeploymentsTest : public testing::Test {
 protected:
  // `more`: fields of the spec, followed by a comma.
  void create(int replicas, std::string_view more = "", std::string_view image = "v1") {
    world_.create(
        "apps", "deployments", "default",
        fmt::format(R"({{"metadata":{{"name":"web","annotations":{{"kubernetes.io/change-cause":)"
                    R"("first"}}}},"spec":{{"replicas":{},{}"selector":{{"matchLabels":)"
                    R"({{"app":"web"}}}},"template":{{"metadata":{{"labels":{{"app":"web"}}}},)"
                    R"("spec":{{"containers":[{{"name":"c","image":"{}"}}]}}}}}}}})",
                    replicas, more, image));
    world_.settle();
  }
  void change(const std::string& patch) {
    world_.pass(seconds(1));  // so that sets have different ages and events different names
    world_.patch("apps", "deployments", "default", "web", patch);
    world_.settle();
  }
  void set_image(std::string_view image) {
    change(fmt::format(
        R"({{"spec":{{"template":{{"spec":{{"containers":[{{"name":"c","image":"{}"}}]}}}}}}}})",
        image));
  }
  void scale(int replicas) { change(fmt::format(R"({{"spec":{{"replicas":{}}}}})", replicas)); }

  // Up to `most` pods of that image become ready, as set by kubelets.
  void make_ready(std::string_view image = "", size_t most = 1000) {
    for (const api::ObjectPtr& pod : world_.list("", "pods", "default")) {
      if (most == 0) break;
      const bool wanted =
          pod->json().find("\"image\":\"" + std::string(image)) != std::string::npos;
      if (pod_facts(*pod).ready || !wanted) continue;
      world_.patch("", "pods", "default", pod->metadata().name,
                   fmt::format(R"({{"status":{{"phase":"Running","conditions":[{{"type":"Ready",)"
                               R"("status":"True","lastTransitionTime":"{}"}}]}}}})",
                               format_time(world_.clock().now())),
                   "status");
      --most;
    }
    world_.settle();
  }
  // Until there are no changes.
  void finish() {
    for (int i = 0; i < 20; ++i) make_ready();
  }
  json::Document deployment() {
    return world_.get("apps", "deployments", "default", "web")->document().value();
  }
  std::string version() {
    return std::string(
        world_.get("apps", "deployments", "default", "web")->metadata().resource_version);
  }
  std::string annotation(std::string_view name) {
    const json::Document document = deployment();
    return std::string(api::View(document.root())["metadata"]["annotations"][name].text());
  }
  // "replicas updated ready available unavailable terminating"
  std::string counts() {
    const json::Document document = deployment();
    const api::View status = api::View(document.root())["status"];
    return fmt::format(
        "{} {} {} {} {} {}", status["replicas"].integer(), status["updatedReplicas"].integer(),
        status["readyReplicas"].integer(), status["availableReplicas"].integer(),
        status["unavailableReplicas"].integer(), status["terminatingReplicas"].integer(-1));
  }
  // "status reason message"
  std::string condition(std::string_view type) {
    const json::Document document = deployment();
    const api::View found = find_condition(api::View(document.root())["status"], type);
    return found ? fmt::format("{} {} {}", found["status"].text(), found["reason"].text(),
                               found["message"].text())
                 : "";
  }
  // "image=replicas(revision)" of all sets, by age.
  std::string sets() {
    std::string all;
    for (const deployments::OwnedSet& set : owned()) {
      const json::Document document = set.object->document().value();
      const api::View spec = api::View(document.root())["spec"];
      all +=
          fmt::format("{}={}({}) ", spec["template"]["spec"]["containers"].item(0)["image"].text(),
                      set.facts.replicas, set.facts.revision);
    }
    return all;
  }
  std::vector<deployments::OwnedSet> owned() {
    std::vector<deployments::OwnedSet> all;
    for (const api::ObjectPtr& set : world_.list("apps", "replicasets", "default")) {
      all.push_back({set, deployments::set_facts(*set)});
    }
    deployments::sort_by_age(all);
    return all;
  }
  size_t pods() { return world_.list("", "pods", "default").size(); }
  bool was_told(std::string_view reason, std::string_view message) {
    for (const api::ObjectPtr& event : world_.list("", "events", "default")) {
      const json::Document document = event->document().value();
      const api::View root = document.root();
      if (root["involvedObject"]["kind"].text() != "Deployment") continue;
      EXPECT_EQ(root["source"]["component"].text(), "deployment-controller");
      if (root["reason"].text() == reason && root["message"].text() == message) return true;
    }
    return false;
  }

  testkit::TestWorld world_{std::vector<ControllerEntry>{
      {"deployment", "deployment-controller", make_deployment_controller},
      {"replicaset", "replicaset-controller", make_replica_set_controller}}};
};

}  // namespace proa::controllers
