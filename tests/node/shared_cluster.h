#pragma once

#include <gmock/gmock.h>

#include <memory>
#include <string>

#include "cluster.h"

namespace proa::node_tests {

// Shared by the tests of one program: a cluster, and short notations for pods.
class SharedCluster : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    if (missing().empty() && !Cluster::newest_kubectl().empty()) {
      cluster_ = std::make_unique<Cluster>();
    }
  }
  static void TearDownTestSuite() { cluster_.reset(); }
  void SetUp() override {
    if (cluster_ != nullptr) return;
    GTEST_SKIP() << "no cluster: "
                 << (missing().empty() ? "kubectl 1.36 is not built; make clients does it"
                                       : missing());
  }

  // Further fields, each "name: value" in YAML flow style separated by commas: of the container, of
  // the pod's spec, and of the pod itself (except "metadata").
  struct Fields {
    std::string container = {};
    std::string spec = {};
    std::string labels = {};       // "a: b"
    std::string annotations = {};  // "a: b"
  };

  // A pod with one container "main" that runs the script.
  static std::string pod(const std::string& name, const std::string& script, const Fields& fields) {
    return "{apiVersion: v1, kind: Pod, metadata: {name: " + name + ", labels: {" + fields.labels +
           "}, annotations: {" + fields.annotations + "}}, spec: {" + fields.spec +
           (fields.spec.empty() ? "" : ", ") +
           "restartPolicy: Never, terminationGracePeriodSeconds: 1, containers: [" +
           container("main", script, fields.container) + "]}}";
  }
  static std::string container(const std::string& name, const std::string& script,
                               const std::string& fields = "") {
    return "{name: " + name + ", image: 'busybox:1', command: [sh, -c, " + quoted(script) + "]" +
           (fields.empty() ? "" : ", ") + fields + "}";
  }
  static std::string quoted(const std::string& text) {
    std::string made = "'";
    for (const char c : text) made += c == '\'' ? std::string("''") : std::string(1, c);
    return made + "'";
  }

  // Runs the script in a pod to completion; returns its output.
  static std::string output_of(const std::string& name, const std::string& script,
                               const Fields& fields) {
    cluster_->apply(pod(name, script, fields));
    if (!cluster_->wait(name, "jsonpath={.status.phase}=Succeeded")) return "";
    return cluster_->ask("logs -c main " + name);
  }
  // A running pod, for commands inside it.
  static bool run(const std::string& name, const Fields& fields) {
    cluster_->apply(pod(name, "trap exit TERM; sleep 1000 & wait", fields));
    return cluster_->wait(name);
  }
  // A field of a pod, as JSONPath: "status.phase".
  static std::string field(const std::string& name, const std::string& path) {
    return cluster_->ask("get pod " + name + " -o jsonpath='{." + path + "}'");
  }
  static bool becomes(const std::string& name, const std::string& path, const std::string& value) {
    return cluster_->eventually("get pod " + name + " -o jsonpath='{." + path + "}'", value);
  }
  // Waits for events about the pod with that reason and returns their messages.
  static std::string event(const std::string& name, const std::string& reason) {
    const std::string chosen =
        " --field-selector involvedObject.name=" + name + ",reason=" + reason;
    std::string message;
    testkit::holds_within(std::chrono::seconds(30), [&] {
      message = cluster_->ask("get events" + chosen + " -o jsonpath='{.items[*].message}'");
      return !message.empty();
    });
    return message;
  }

  static inline std::unique_ptr<Cluster> cluster_;
};

}  // namespace proa::node_tests
