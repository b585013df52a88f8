#include "kubelet/pod/environment/environment.h"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/files.h"

namespace proa::kubelet {
namespace {

// By "configmaps/NAMESPACE/NAME".
class FakeObjects final : public ObjectSource {
 public:
  Result<api::ObjectPtr> get(std::string_view, std::string_view resource,
                             std::string_view name_space, std::string_view name) override {
    ++asked;
    const auto found = objects.find(fmt::format("{}/{}/{}", resource, name_space, name));
    if (found == objects.end()) return Status(Reason::kNotFound, "nothing of the kind");
    return api::Object::make(found->second);
  }
  std::map<std::string, std::string> objects = {
      {"configmaps/shop/colors", R"j({"data":{"RED":"ff0000","GREEN":"00ff00","MIX":"$(RED)"}})j"},
      {"secrets/shop/keys", R"({"data":{"DOOR":"c2VzYW1l"}})"},
  };
  int asked = 0;
};

api::ObjectPtr service(std::string_view name_space, std::string_view name, std::string_view address,
                       int port) {
  return api::Object::make(fmt::format(
      R"({{"metadata":{{"name":"{}","namespace":"{}"}},"spec":{{"clusterIP":"{}","ports":[{{"port":{},"protocol":"TCP"}}]}}}})",
      name, name_space, address, port));
}

struct Fixture {
  FakeObjects objects = {};
  PodFacts facts = {.node_name = api::NodeName("node-1"),
                    .host_addresses = {"10.0.0.1"},
                    .addresses = {"10.1.0.7"}};
  std::vector<api::ObjectPtr> services = {};
  std::map<std::string, std::string, std::less<>> volumes = {};
  bool services_known = true;
  std::string pod_fields = {};  // of the spec, each with a comma behind it

  Result<Environment> make(const std::string& container, Pod::Source source = Pod::Source::kApi) {
    const PodPtr pod = *Pod::read(
        api::Object::make(
            R"({"metadata":{"name":"web","namespace":"shop","uid":"u-1","labels":{"app":"web"}},"spec":{)" +
            pod_fields + R"("serviceAccountName":"seller","containers":[)" + container + "]}}"),
        source);
    return make_environment({.pod = *pod,
                             .container = pod->spec()["containers"].item(0),
                             .facts = facts,
                             .objects = objects,
                             .services = [this](std::string_view) { return services; },
                             .volume_paths = &volumes,
                             .services_known = services_known});
  }
};

std::string text(const Result<Environment>& environment) {
  if (!environment) return "! " + environment.status().message();
  std::string lines;
  for (const Variable& variable : *environment) {
    lines += variable.name + "=" + variable.value + "\n";
  }
  return lines;
}

TEST(Environment, ComesFromManySources) {
  const struct {
    const char* name;
    const char* container;
    const char* expected;
  } cases[] = {
      {"values in their order", R"({"env":[{"name":"B","value":"2"},{"name":"A","value":""}]})",
       "B=2\nA=\n"},
      {"the last value of a name, in the place of the first",
       R"({"env":[{"name":"A","value":"1"},{"name":"B","value":"2"},{"name":"A","value":"3"}]})",
       "A=3\nB=2\n"},
      {"fields of the pod",
       R"({"env":[{"name":"N","valueFrom":{"fieldRef":{"apiVersion":"v1","fieldPath":"metadata.name"}}},)"
       R"({"name":"IP","valueFrom":{"fieldRef":{"apiVersion":"v1","fieldPath":"status.podIP"}}},)"
       R"({"name":"L","valueFrom":{"fieldRef":{"apiVersion":"v1","fieldPath":"metadata.labels['app']"}}}]})",
       "N=web\nIP=10.1.0.7\nL=web\n"},
      {"a version that there is not",
       R"({"env":[{"name":"N","valueFrom":{"fieldRef":{"apiVersion":"v2","fieldPath":"metadata.name"}}}]})",
       "! unsupported pod version: v2"},
      {"resources of the container",
       R"({"resources":{"limits":{"cpu":"1500m"}},"env":[{"name":"C","valueFrom":{"resourceFieldRef":{"resource":"limits.cpu"}}}]})",
       "C=2\n"},
      {"a key of a config map",
       R"({"env":[{"name":"R","valueFrom":{"configMapKeyRef":{"name":"colors","key":"RED"}}}]})",
       "R=ff0000\n"},
      {"a key of a secret, decoded",
       R"({"env":[{"name":"K","valueFrom":{"secretKeyRef":{"name":"keys","key":"DOOR"}}}]})",
       "K=sesame\n"},
      {"a key that is not there",
       R"({"env":[{"name":"R","valueFrom":{"configMapKeyRef":{"name":"colors","key":"BLUE"}}}]})",
       "! couldn't find key BLUE in ConfigMap shop/colors"},
      {"a key of a secret that is not there",
       R"({"env":[{"name":"R","valueFrom":{"secretKeyRef":{"name":"keys","key":"BLUE"}}}]})",
       "! couldn't find key BLUE in Secret shop/keys"},
      {"a config map that is not there",
       R"({"env":[{"name":"R","valueFrom":{"configMapKeyRef":{"name":"x","key":"BLUE"}}}]})",
       "! configmap \"x\" not found"},
      {"a secret that is not there", R"({"envFrom":[{"secretRef":{"name":"x"}}]})",
       "! secret \"x\" not found"},
      {"optional ones are left out",
       R"({"envFrom":[{"configMapRef":{"name":"x","optional":true}},{"secretRef":{"name":"x","optional":true}}],)"
       R"("env":[{"name":"R","valueFrom":{"configMapKeyRef":{"name":"colors","key":"BLUE","optional":true}}},)"
       R"({"name":"S","valueFrom":{"secretKeyRef":{"name":"x","key":"BLUE","optional":true}}},{"name":"A","value":"1"}]})",
       "A=1\n"},
      {"all keys, with a prefix; whatever their names look like",
       R"({"envFrom":[{"prefix":"1-","configMapRef":{"name":"colors"}},{"secretRef":{"name":"keys"}}]})",
       "1-RED=ff0000\n1-GREEN=00ff00\n1-MIX=$(RED)\nDOOR=sesame\n"},
      {"env goes before envFrom",
       R"j({"envFrom":[{"configMapRef":{"name":"colors"}}],"env":[{"name":"RED","value":"pink"},{"name":"P","value":"$(RED)$(GREEN)"}]})j",
       "RED=pink\nGREEN=00ff00\nMIX=$(RED)\nP=pink00ff00\n"},
      {"later envFrom goes before earlier ones",
       R"({"envFrom":[{"prefix":"D","configMapRef":{"name":"colors"}},{"prefix":"D","configMapRef":{"name":"colors"}}]})",
       "DRED=ff0000\nDGREEN=00ff00\nDMIX=$(RED)\n"},
      {"a volume that is not there",
       R"({"env":[{"name":"F","valueFrom":{"fileKeyRef":{"volumeName":"v","path":"f","key":"A"}}}]})",
       "! cannot find the volume \"v\" referenced by FileKeyRef"},
      {"expansion sees only what came before",
       R"j({"env":[{"name":"A","value":"$(B)"},{"name":"B","value":"b"},{"name":"C","value":"$(B)-$$(B)-$$$(B)"}]})j",
       "A=$(B)\nB=b\nC=b-$(B)-$b\n"},
  };
  for (const auto& c : cases) {
    SCOPED_TRACE(c.name);
    Fixture fixture;
    EXPECT_EQ(text(fixture.make(c.container)), c.expected);
  }
}

TEST(Environment, AsksForAnObjectOnce) {
  Fixture fixture;
  ASSERT_TRUE(
      fixture
          .make(
              R"({"envFrom":[{"configMapRef":{"name":"colors"}}],)"
              R"("env":[{"name":"R","valueFrom":{"configMapKeyRef":{"name":"colors","key":"RED"}}}]})")
          .ok());
  EXPECT_EQ(fixture.objects.asked, 1);
}

TEST(Environment, TellsOfServices) {
  const std::vector<api::ObjectPtr> services = {
      service("default", "kubernetes", "1.2.3.1", 8081), service("other", "test", "1.2.3.3", 8083),
      service("shop", "test", "1.2.3.5", 8085), service("shop", "none", "None", 8085),
      service("shop", "empty", "", 8085)};
  const std::string master =
      "KUBERNETES_SERVICE_HOST=1.2.3.1\nKUBERNETES_SERVICE_PORT=8081\n"
      "KUBERNETES_PORT=tcp://1.2.3.1:8081\nKUBERNETES_PORT_8081_TCP=tcp://1.2.3.1:8081\n"
      "KUBERNETES_PORT_8081_TCP_PROTO=tcp\nKUBERNETES_PORT_8081_TCP_PORT=8081\n"
      "KUBERNETES_PORT_8081_TCP_ADDR=1.2.3.1\n";
  Fixture fixture;
  fixture.services = services;
  fixture.pod_fields = R"("enableServiceLinks":false,)";
  EXPECT_EQ(text(fixture.make(R"j({"env":[{"name":"A","value":"$(KUBERNETES_SERVICE_HOST)"}]})j")),
            "A=1.2.3.1\n" + master);
  fixture.pod_fields = "";
  EXPECT_EQ(text(fixture.make("{}")),
            master +
                "TEST_SERVICE_HOST=1.2.3.5\nTEST_SERVICE_PORT=8085\nTEST_PORT=tcp://1.2.3.5:8085\n"
                "TEST_PORT_8085_TCP=tcp://1.2.3.5:8085\nTEST_PORT_8085_TCP_PROTO=tcp\n"
                "TEST_PORT_8085_TCP_PORT=8085\nTEST_PORT_8085_TCP_ADDR=1.2.3.5\n");
  // What the container says itself counts.
  const std::string own =
      text(fixture.make(R"({"env":[{"name":"TEST_SERVICE_HOST","value":"mine"}]})"));
  EXPECT_TRUE(own.starts_with("TEST_SERVICE_HOST=mine\n"));
  EXPECT_EQ(own.find("TEST_SERVICE_HOST=1.2.3.5"), std::string::npos);
  // A namespace's own service of that name, whatever the order.
  fixture.services = {service("shop", "kubernetes", "1.2.3.4", 8084), services[0]};
  EXPECT_TRUE(text(fixture.make("{}")).starts_with("KUBERNETES_SERVICE_HOST=1.2.3.4\n"));
}

TEST(Environment, WaitsForServicesButNotOfStaticPods) {
  Fixture fixture;
  fixture.services_known = false;
  EXPECT_EQ(text(fixture.make("{}")),
            "! services have not yet been read at least once, cannot construct envvars");
  EXPECT_EQ(text(fixture.make("{}", Pod::Source::kFile)), "");
}

TEST(Environment, ReadsFilesOfVolumes) {
  char folder[] = "/tmp/proa-environment-XXXXXX";
  ASSERT_NE(::mkdtemp(folder), nullptr);
  const std::string root = folder;
  SystemFiles files;
  ASSERT_TRUE(files.write_file_atomic(root + "/vars", "A='1'\nB='two\nlines'\n", 0644).ok());
  ASSERT_EQ(::symlink("/vars", (root + "/link").c_str()), 0);
  ASSERT_EQ(::symlink("/etc/passwd", (root + "/out").c_str()), 0);
  Fixture fixture;
  fixture.volumes["v"] = root;
  const auto value = [&fixture](const std::string& path, const std::string& key,
                                const std::string& more = "") {
    return text(fixture.make(
        fmt::format(R"({{"env":[{{"name":"F","valueFrom":{{"fileKeyRef":{{"volumeName":"v",)"
                    R"("path":"{}","key":"{}"{}}}}}}}]}})",
                    path, key, more)));
  };
  EXPECT_EQ(value("vars", "B"), "F=two\nlines\n");
  EXPECT_EQ(value("link", "A"), "F=1\n");  // resolved inside of the volume
  EXPECT_EQ(value("../../vars", "A"), "F=1\n");
  EXPECT_EQ(value("out", "root"), "! couldn't parse env file");
  EXPECT_EQ(value("none", "A", R"(,"optional":true)"), "! couldn't parse env file");
  EXPECT_EQ(value("vars", "C"),
            "! environment variable key \"C\" not found in file \"" + root + "/vars\"");
  EXPECT_EQ(value("vars", "C", R"(,"optional":true)"), "");
  for (const char* name : {"/vars", "/link", "/out", ""}) {
    EXPECT_TRUE(files.remove(root + name).ok());
  }
}

TEST(Environment, DoesNotGrowWithoutBound) {
  Fixture fixture;
  std::string variables = R"({"name":"A0","value":"0123456789012345678901234567890123456789"})";
  for (int i = 1; i < 40; ++i) {
    variables += fmt::format(R"j(,{{"name":"A{}","value":"$(A{})$(A{})"}})j", i, i - 1, i - 1);
  }
  const Result<Environment> made = fixture.make(R"({"env":[)" + variables + "]}");
  EXPECT_EQ(text(made).substr(0, 40), "! environment is too large");
}

TEST(Expand, FollowsTheRulesOfReferences) {
  const Environment variables = {
      {"VAR_A", "A"}, {"VAR_B", "B"}, {"VAR_C", "C"}, {"EMPTY", ""}, {"VAR_REF", "$(VAR_A)"}};
  const struct {
    const char* text;
    const char* expected;
  } cases[] = {
      {"$(VAR_A)", "A"},
      {"___$(VAR_B)___", "___B___"},
      {"$(VAR_A)$(VAR_B)$(VAR_C)", "ABC"},
      {"$(VAR_REF)", "$(VAR_A)"},
      {"$$(VAR_A)_$(VAR_A)", "$(VAR_A)_A"},
      {"$$$$$$(VAR_A)", "$$$(VAR_A)"},
      {"$$$$$(VAR_A)", "$$A"},
      {"$(UNKNOWN)$(VAR_A)", "$(UNKNOWN)A"},
      {"$(VAR_A", "$(VAR_A"},
      {"$(VAR_A$(VAR_B)", "$(VAR_A$(VAR_B)"},
      {"$VAR_A", "$VAR_A"},
      {"$", "$"},
      {"$$", "$"},
      {"foo$", "foo$"},
      {"$)", "$)"},
      {"$(", "$("},
      {"$()", "$()"},
      {"--$(EMPTY)--", "----"},
      {"\n$(VAR_A)", "\nA"},
      {"", ""},
  };
  for (const auto& c : cases) {
    SCOPED_TRACE(c.text);
    EXPECT_EQ(expand(c.text, variables), c.expected);
  }
}

}  // namespace
}  // namespace proa::kubelet
