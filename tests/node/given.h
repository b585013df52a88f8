#pragma once

#include "shared_cluster.h"

namespace proa::node_tests {

// Objects created before the first test, so that they start concurrently. Defined at namespace
// scope, next to the test that uses them.
class Given {
  struct Words : SharedCluster {
    using SharedCluster::container;
    using SharedCluster::Fields;
    using SharedCluster::pod;
  };

 public:
  explicit Given(const std::string& yaml) { all() += yaml + "\n---\n"; }

  static std::string container(const std::string& name, const std::string& script,
                               const std::string& fields = "") {
    return Words::container(name, script, fields);
  }
  static std::string pod(const std::string& name, const std::string& script,
                         const Words::Fields& fields = {}) {
    return Words::pod(name, script, fields);
  }
  // A pod whose spec has only these fields.
  static std::string with_spec(const std::string& name, const std::string& spec) {
    return "{apiVersion: v1, kind: Pod, metadata: {name: " + name + "}, spec: {" + spec + "}}";
  }
  static std::string& all() {
    static std::string yaml;
    return yaml;
  }
};

class GivenTest : public SharedCluster {
 protected:
  static void SetUpTestSuite() {
    SharedCluster::SetUpTestSuite();
    if (cluster_ != nullptr && !Given::all().empty()) cluster_->apply(Given::all());
  }

  // "Initialized=True Ready=False ...": all conditions of a pod, by name.
  static std::string conditions(const std::string& pod) {
    const std::string lines = cluster_->ask(
        "get pod " + pod +
        " -o 'jsonpath={range .status.conditions[*]}{.type}={.status}{\"\\n\"}{end}'");
    const std::string sorted = e2e::run_shell("echo '" + lines + "' | sort | xargs").text;
    return sorted.substr(0, sorted.find('\n'));
  }
  // Waits for an event "TYPE REASON MESSAGE" about the pod: events are written slightly later than
  // their cause.
  static bool hears(const std::string& pod, const std::string& text, int seconds = 15) {
    std::string told;
    const bool heard = testkit::holds_within(std::chrono::seconds(seconds), [&] {
      told = cluster_->ask(
          "get events --field-selector involvedObject.name=" + pod +
          " -o 'jsonpath={range .items[*]}{.type} {.reason} {.message}{\"\\n\"}{end}'");
      return told.find(text) != std::string::npos;
    });
    if (!heard) ADD_FAILURE() << "no event of " << pod << " says " << text << "\n" << told;
    return heard;
  }
};

}  // namespace proa::node_tests
