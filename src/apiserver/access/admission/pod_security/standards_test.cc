#include "apiserver/access/admission/pod_security/standards.h"

#include <gtest/gtest.h>

#include <filesystem>

#include "api/object/edit.h"
#include "base/strings.h"
#include "json/yaml.h"
#include "testkit/golden.h"

namespace proa::apiserver::pod_security {
namespace {

// Newer than any release.
constexpr int64_t kNewest = 10000;

// Runs testdata/standards.txt: a level and a pod, and the result of each version of that level. For
// the restricted level, required fields are added to the pod unless it sets them to null.
class Script {
 public:
  static std::string run(std::string_view command) {
    const auto parts = split_once(command, '\n');
    const std::optional<Level> level = parse_level(parts ? parts->before : command);
    if (!level || !parts) return "no such command\n";
    Result<json::Document> pod = json::parse_yaml(parts->after);
    if (!pod) return pod.status().message() + "\n";
    if (*level == Level::kRestricted) complete(api::Edit(*pod));
    return all_versions(*level, pod->root());
  }

 private:
  static void complete(api::Edit pod) {
    const api::Edit spec = pod.object("spec");
    const api::Edit context = spec.object("securityContext");
    add(context, "runAsNonRoot", json::Value::boolean(true));
    if (context.value().find("seccompProfile") == nullptr) {
      context.object("seccompProfile").set("type", "RuntimeDefault");
    }
    for (const char* list : {"initContainers", "containers", "ephemeralContainers"}) {
      const api::Edit containers = spec.array(list);
      for (size_t i = 0; i < containers.size(); ++i) complete_container(containers.item(i));
    }
  }

  static void complete_container(api::Edit container) {
    const api::Edit context = container.object("securityContext");
    add(context, "allowPrivilegeEscalation", json::Value::boolean(false));
    if (context.value().find("capabilities") != nullptr) return;
    const api::Edit drop = context.object("capabilities").array("drop");
    drop.push(json::Value::borrowed("ALL"));
  }

  static void add(api::Edit object, std::string_view name, json::Value value) {
    if (object.value().find(name) == nullptr) object.set(name, std::move(value));
  }

  static std::string all_versions(Level level, api::View pod) {
    const PodShape shape{pod["metadata"], pod["spec"]};
    const auto said_by = [&](const Version& version) {
      const std::string details = details_of(find_violations(shape, {level, version}));
      return details.empty() ? std::string("allowed") : details;
    };
    const std::string latest = said_by({});
    EXPECT_EQ(said_by({.latest = false, .minor = kNewest}), latest);
    std::string text;
    std::string before;
    for (int64_t minor = 0; minor <= 36; ++minor) {
      std::string said = said_by({.latest = false, .minor = minor});
      if (said != before) text += "v1." + std::to_string(minor) + ": " + said + "\n";
      before = std::move(said);
    }
    EXPECT_EQ(before, latest);
    return text;
  }
};

TEST(FindViolations, SaysWhatEachVersionForbids) {
  testkit::run_golden(std::filesystem::path(__FILE__).parent_path() / "testdata/standards.txt",
                      Script::run);
}

TEST(FindViolations, AllowsPrivilegedPodsEverything) {
  const json::Document pod = *json::parse_yaml(
      "spec: {hostNetwork: true, containers: [{name: a, securityContext: {privileged: true}}]}");
  const api::View root = pod.root();
  EXPECT_TRUE(find_violations({root["metadata"], root["spec"]}, {}).empty());
}

TEST(FindViolations, TakesAnything) {
  for (const char* text :
       {"null", "[]", "1", "spec: 1", "spec: {containers: 1}", "spec: {containers: [1, [], null]}",
        "spec: {containers: [{name: {}, ports: [1], securityContext: [], lifecycle: 3}]}",
        "spec: {volumes: [1, {name: 1}], securityContext: {sysctls: {a: b}, runAsUser: x}}",
        "metadata: {annotations: {a: 1, container.apparmor.security.beta.kubernetes.io/x: {}}}"}) {
    SCOPED_TRACE(text);
    const json::Document pod = *json::parse_yaml(text);
    const api::View root = pod.root();
    const PodShape shape{root["metadata"], root["spec"]};
    for (const int64_t minor : {0, 18, 24, 35}) {
      find_violations(shape, {Level::kBaseline, {.latest = false, .minor = minor}});
      find_violations(shape, {Level::kRestricted, {.latest = false, .minor = minor}});
    }
  }
}

}  // namespace
}  // namespace proa::apiserver::pod_security
