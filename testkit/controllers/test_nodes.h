#pragma once

#include <string>
#include <string_view>

#include "api/object/view.h"
#include "testkit/controllers/test_world.h"

// Nodes as created and updated by kubelets.

namespace proa::testkit {

// "True Reason: Message"; "none" if there is no such condition.
inline std::string condition_text(const api::ObjectPtr& object, std::string_view type) {
  if (object == nullptr) return "gone";
  const json::Document document = object->document().value();
  for (const api::View one : api::View(document.root())["status"]["conditions"].items()) {
    if (one["type"].text() != type) continue;
    std::string text(one["status"].text());
    if (one["reason"].exists()) text += " " + std::string(one["reason"].text());
    if (one["message"].exists()) text += ": " + std::string(one["message"].text());
    return text;
  }
  return "none";
}

class TestNodes {
 public:
  explicit TestNodes(TestWorld& world) : world_(world) {}

  api::ObjectPtr get(const std::string& name) { return world_.get("", "nodes", "", name); }

  // `labels`: members of an object, "\"a\":\"b\"".
  void add(const std::string& name, const std::string& labels = "") {
    world_.create("", "nodes", "",
                  R"({"metadata":{"name":")" + name + R"(","labels":{)" + labels + "}}}");
  }
  // With a Ready status.
  void add_ready(const std::string& name, const std::string& labels = "") {
    add(name, labels);
    post(name, "True");
  }
  // A kubelet posts its status.
  void post(const std::string& name, const std::string& ready) {
    const std::string now = format_time(world_.clock().now());
    std::string conditions;
    for (const char* type : {"MemoryPressure", "DiskPressure", "PIDPressure"}) {
      conditions += condition(type, "False", now) + ",";
    }
    conditions += condition("Ready", ready, now);
    world_.patch("", "nodes", "", name, R"({"status":{"conditions":[)" + conditions + "]}}",
                 "status");
  }
  // A kubelet renews its Lease.
  void renew(const std::string& name) {
    const std::string spec = R"({"metadata":{"name":")" + name + R"("},"spec":{"renewTime":")" +
                             format_micro_time(world_.clock().now()) + R"("}})";
    if (world_.get("coordination.k8s.io", "leases", "kube-node-lease", name) == nullptr) {
      world_.create("coordination.k8s.io", "leases", "kube-node-lease", spec);
    } else {
      world_.patch("coordination.k8s.io", "leases", "kube-node-lease", name, spec);
    }
  }

  std::string ready(const std::string& name) { return condition_text(get(name), "Ready"); }
  // "not-ready:NoSchedule unreachable:NoExecute"
  std::string taints(const std::string& name) {
    std::string text;
    const json::Document document = get(name)->document().value();
    for (const api::View taint : api::View(document.root())["spec"]["taints"].items()) {
      const std::string_view key = taint["key"].text();
      text += (text.empty() ? "" : " ") + std::string(key.substr(key.find('/') + 1)) + ":" +
              std::string(taint["effect"].text());
    }
    return text;
  }
  // A running, ready pod on that node.
  void add_pod(const std::string& name, const std::string& node,
               const std::string& tolerations = "") {
    world_.create("", "pods", "default",
                  R"({"metadata":{"name":")" + name + R"("},"spec":{"nodeName":")" + node +
                      R"(","tolerations":[)" + tolerations +
                      R"(],"containers":[{"name":"c","image":"nginx"}]}})");
    world_.patch("", "pods", "default", name,
                 R"({"status":{"phase":"Running","conditions":[{"type":"Ready","status":"True",)"
                 R"("lastTransitionTime":"2026-01-01T00:00:00Z"}]}})",
                 "status");
  }
  api::ObjectPtr pod(const std::string& name) { return world_.get("", "pods", "default", name); }
  // "Reason: message" of events about that object, sorted.
  std::string events(std::string_view about) {
    std::vector<std::string> texts;
    for (const api::ObjectPtr& event : world_.list("", "events", "default")) {
      const json::Document document = event->document().value();
      const api::View root = document.root();
      if (root["involvedObject"]["name"].text() != about) continue;
      texts.push_back(std::string(root["type"].text()) + " " + std::string(root["reason"].text()) +
                      ": " + std::string(root["message"].text()));
    }
    std::sort(texts.begin(), texts.end());
    std::string all;
    for (const std::string& text : texts) all += text + "\n";
    return all;
  }

 private:
  static std::string condition(const std::string& type, const std::string& status,
                               const std::string& now) {
    return R"({"type":")" + type + R"(","status":")" + status + R"(","reason":"Kubelet",)" +
           R"("message":"says so","lastHeartbeatTime":")" + now +
           R"(","lastTransitionTime":"2026-01-01T00:00:00Z"})";
  }

  TestWorld& world_;
};

}  // namespace proa::testkit
