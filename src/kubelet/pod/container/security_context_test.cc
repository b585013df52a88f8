#include "kubelet/pod/container/security_context.h"

#include <gtest/gtest.h>

#include "testkit/kubelet/config_fixtures.h"

namespace proa::kubelet {
namespace {

using config_test::expect_is_message;
using config_test::expect_json;
using config_test::pod_of;

struct Written {
  Result<void> result;
  json::Document document;
  api::View view() const { return api::View(document.root()); }
};

Written write(const Pod& pod, const cri::Image& image = {}, const MachineFacts& machine = {},
              const std::string& target = {}) {
  json::Document document(json::Arena(), json::Value::object());
  auto result =
      write_container_security(api::Edit(document), {.pod = pod,
                                                     .container = pod.spec()["containers"].item(0),
                                                     .image = image,
                                                     .machine = machine,
                                                     .root = "/lib/kubelet",
                                                     .target_id = target});
  return {std::move(result), std::move(document)};
}

Written write(const std::string& container, const std::string& spec = {}) {
  return write(*pod_of(container, spec));
}

TEST(ContainerSecurity, TakesEachFieldFromWhereItIsSaid) {
  const struct {
    const char* name;
    const char* own;
    const char* of_pod;
    const char* field;
    const char* expected;
  } cases[] = {
      {"user of the pod", "{}", R"({"runAsUser":7})", "run_as_user", R"({"value":7})"},
      {"user of the container", R"({"runAsUser":8})", R"({"runAsUser":7})", "run_as_user",
       R"({"value":8})"},
      {"root is said too", R"({"runAsUser":0})", R"({"runAsUser":7})", "run_as_user", "{}"},
      {"group of the pod", "{}", R"({"runAsGroup":7})", "run_as_group", R"({"value":7})"},
      {"group of the container", R"({"runAsGroup":8})", R"({"runAsGroup":7})", "run_as_group",
       R"({"value":8})"},
      {"no group", "{}", "{}", "run_as_group", "null"},
      {"groups", "{}", R"({"fsGroup":5,"supplementalGroups":[6,7]})", "supplemental_groups",
       "[5,6,7]"},
      {"only those groups", "{}", R"({"supplementalGroupsPolicy":"Strict"})",
       "supplemental_groups_policy", "1"},
      {"privileged", R"({"privileged":true})", "{}", "privileged", "true"},
      {"capabilities", R"({"capabilities":{"add":["NET_ADMIN"],"drop":["ALL"]}})", "{}",
       "capabilities", R"({"add_capabilities":["NET_ADMIN"],"drop_capabilities":["ALL"]})"},
      {"a root that can't be written", R"({"readOnlyRootFilesystem":true})", "{}",
       "readonly_rootfs", "true"},
      {"no new privileges", R"({"allowPrivilegeEscalation":false})", "{}", "no_new_privs", "true"},
      {"new privileges", R"({"allowPrivilegeEscalation":true})", "{}", "no_new_privs", "null"},
      {"SELinux of the pod", "{}", R"({"seLinuxOptions":{"type":"t","level":"s0"}})",
       "selinux_options", R"({"type":"t","level":"s0"})"},
      {"SELinux of the container", R"({"seLinuxOptions":{"user":"u"}})",
       R"({"seLinuxOptions":{"type":"t"}})", "selinux_options", R"({"user":"u"})"},
      {"everything to be seen", R"({"procMount":"Unmasked"})", "{}", "masked_paths", "null"},
  };
  for (const auto& c : cases) {
    SCOPED_TRACE(c.name);
    const Written made = write(std::string(R"(,"securityContext":)") + c.own,
                               std::string(R"(,"securityContext":)") + c.of_pod);
    ASSERT_TRUE(made.result.ok());
    expect_json(made.view()[c.field], c.expected);
    expect_is_message(made.document.root(), "LinuxContainerSecurityContext");
  }
}

TEST(ContainerSecurity, HidesWhatContainersShallNotSee) {
  const Written made = write(*pod_of(""), {}, {.hidden_paths = {"/sys/heat"}});
  EXPECT_EQ(made.view()["masked_paths"].item(0).text(), "/proc/asound");
  EXPECT_EQ(made.view()["masked_paths"].size(), 13u);
  EXPECT_EQ(made.view()["masked_paths"].item(12).text(), "/sys/heat");
  expect_json(made.view()["readonly_paths"],
              R"(["/proc/bus","/proc/fs","/proc/irq","/proc/sys","/proc/sysrq-trigger"])");
}

TEST(ContainerSecurity, TakesTheUserOfTheImage) {
  const PodPtr pod = pod_of("");
  expect_json(write(*pod, {.uid = 1000}).view()["run_as_user"], R"({"value":1000})");
  const Written named = write(*pod, {.user_name = "nobody"});
  EXPECT_FALSE(named.view()["run_as_user"]);
  EXPECT_EQ(named.view()["run_as_username"].text(), "nobody");
  expect_json(write(*pod).view()["run_as_user"], "{}");
}

TEST(ContainerSecurity, SharesNamespacesAsThePodSays) {
  const struct {
    const char* spec;
    const char* target;
    const char* expected;
  } cases[] = {
      {"", "", R"({"pid":1})"},
      {R"(,"hostNetwork":true)", "", R"({"network":2,"pid":1})"},
      {R"(,"hostIPC":true,"hostPID":true)", "", R"({"ipc":2,"pid":2})"},
      {R"(,"shareProcessNamespace":true)", "", "{}"},
      {"", "c1", R"({"pid":3,"target_id":"c1"})"},
      {R"(,"shareProcessNamespace":true)", "c1", "{}"},
      {R"(,"hostUsers":true)", "", R"({"pid":1})"},
  };
  for (const auto& c : cases) {
    SCOPED_TRACE(c.spec);
    const Written made = write(*pod_of("", c.spec), {}, {}, c.target);
    ASSERT_TRUE(made.result.ok());
    expect_json(made.view()["namespace_options"], c.expected);
  }
  const Written refused = write("", R"(,"hostUsers":false)");
  EXPECT_EQ(refused.result.status().message(),
            "can't set `spec.hostUsers: false`, runtime does not support user namespaces");
}

TEST(ContainerSecurity, ChoosesItsSeccompProfile) {
  const struct {
    const char* own;
    const char* of_pod;
    const char* expected;
    const char* failure;
  } cases[] = {
      {"{}", "{}", R"({"profile_type":1})", ""},
      {R"({"type":"RuntimeDefault"})", R"({"type":"Unconfined"})", "{}", ""},
      {"null", R"({"type":"RuntimeDefault"})", "{}", ""},
      {R"({"type":"Unconfined"})", R"({"type":"RuntimeDefault"})", R"({"profile_type":1})", ""},
      {R"({"type":"Localhost","localhostProfile":"a/b.json"})", "null",
       R"({"profile_type":2,"localhost_ref":"/lib/kubelet/seccomp/a/b.json"})", ""},
      {R"({"type":"Localhost"})", "null", "",
       "localhostProfile must be set if seccompProfile type is Localhost."},
      {R"({"type":"Localhost","localhostProfile":"../../etc/x"})", "null", "",
       "localhostProfile must not contain '..'"},
  };
  for (const auto& c : cases) {
    SCOPED_TRACE(std::string(c.own) + c.of_pod);
    const auto context = [](const char* profile) {
      return std::string(R"(,"securityContext":{"seccompProfile":)") + profile + "}";
    };
    const Written made = write(context(c.own), context(c.of_pod));
    EXPECT_EQ(made.result ? "" : made.result.status().message(), c.failure);
    if (made.result) expect_json(made.view()["seccomp"], c.expected);
  }
}

TEST(ContainerSecurity, ChoosesItsAppArmorProfile) {
  const struct {
    const char* own;
    const char* annotation;
    const char* of_pod;
    const char* expected;
    const char* failure;
  } cases[] = {
      {"null", "", "null", "null", ""},
      {"null", "", R"({"type":"RuntimeDefault"})", "{}", ""},
      {"null", "unconfined", R"({"type":"RuntimeDefault"})", R"({"profile_type":1})", ""},
      {"null", "localhost/p", "null", R"({"profile_type":2,"localhost_ref":"p"})", ""},
      {"null", "nonsense", R"({"type":"RuntimeDefault"})", "{}", ""},
      {R"({"type":"Localhost","localhostProfile":"q"})", "localhost/p", "null",
       R"({"profile_type":2,"localhost_ref":"q"})", ""},
      {R"({"type":"Localhost"})", "", "null", "", "missing localhost apparmor profile name"},
      {R"({"type":"Other"})", "", "null", "", "unknown apparmor profile type: \"Other\""},
  };
  for (const auto& c : cases) {
    SCOPED_TRACE(std::string(c.own) + c.annotation + c.of_pod);
    const PodPtr pod = config_test::make_pod(
        std::string(R"({"securityContext":{"appArmorProfile":)") + c.of_pod +
            R"(},"containers":[{"name":"app","securityContext":{"appArmorProfile":)" + c.own +
            "}}]}",
        std::string(R"(,"annotations":{"container.apparmor.security.beta.kubernetes.io/app":")") +
            c.annotation + R"("})");
    const Written made = write(*pod);
    EXPECT_EQ(made.result ? "" : made.result.status().message(), c.failure);
    if (made.result) expect_json(made.view()["apparmor"], c.expected);
  }
}

TEST(CheckNonRoot, SaysWhyInUpstreamsWords) {
  const std::string where = R"x( (pod: "web_shop(u-1)", container: app))x";
  const struct {
    const char* name;
    const char* own;
    const char* of_pod;
    cri::Image image;
    std::string failure;
  } cases[] = {
      {"not asked for", "{}", "{}", {}, ""},
      {"asked not to", R"({"runAsNonRoot":false})", R"({"runAsNonRoot":true})", {}, ""},
      {"another user", R"({"runAsNonRoot":true,"runAsUser":5})", "{}", {}, ""},
      {"root by the container",
       R"({"runAsNonRoot":true,"runAsUser":0})",
       "{}",
       {.uid = 7},
       "container's runAsUser breaks non-root policy" + where},
      {"root by the pod",
       "{}",
       R"({"runAsNonRoot":true,"runAsUser":0})",
       {.uid = 7},
       "container's runAsUser breaks non-root policy" + where},
      {"an image of another user", R"({"runAsNonRoot":true})", "{}", {.uid = 7}, ""},
      {"an image of root",
       R"({"runAsNonRoot":true})",
       "{}",
       {.uid = 0},
       "container has runAsNonRoot and image will run as root" + where},
      {"an image that does not say",
       R"({"runAsNonRoot":true})",
       "{}",
       {},
       "container has runAsNonRoot and image will run as root" + where},
      {"an image that says a name",
       R"({"runAsNonRoot":true})",
       "{}",
       {.user_name = "nobody"},
       "container has runAsNonRoot and image has non-numeric user (nobody), cannot verify user is "
       "non-root" +
           where},
      {"an image that says nonsense",
       R"({"runAsNonRoot":true})",
       "{}",
       {.uid = 2147483648},
       "container has runAsNonRoot and image has an invalid user id (2147483648). (Must be "
       "1-(2147483647)): must be between 0 and 2147483647, inclusive" +
           where},
  };
  for (const auto& c : cases) {
    SCOPED_TRACE(c.name);
    const PodPtr pod = pod_of(std::string(R"(,"securityContext":)") + c.own,
                              std::string(R"(,"securityContext":)") + c.of_pod);
    const auto checked = check_non_root(*pod, pod->spec()["containers"].item(0), c.image);
    EXPECT_EQ(checked ? "" : checked.status().message(), c.failure);
  }
}

TEST(SandboxSecurity, IsThatOfThePod) {
  const auto pod = config_test::make_pod(
      R"({"hostNetwork":true,"securityContext":{"runAsUser":7,"runAsGroup":8,"fsGroup":9,
          "supplementalGroups":[10],"supplementalGroupsPolicy":"Strict","seLinuxOptions":{"role":"r"},
          "seccompProfile":{"type":"Unconfined"}},
          "containers":[{"name":"a"}],"ephemeralContainers":[{"name":"e","securityContext":{"privileged":true}}]})");
  json::Document document(json::Arena(), json::Value::object());
  ASSERT_TRUE(write_sandbox_security(api::Edit(document), *pod).ok());
  expect_json(document.root(),
              R"({"namespace_options":{"network":2,"pid":1},"selinux_options":{"role":"r"},
                  "run_as_user":{"value":7},"run_as_group":{"value":8},"supplemental_groups":[9,10],
                  "supplemental_groups_policy":1,"privileged":true,"seccomp":{}})");
  expect_is_message(document.root(), "LinuxSandboxSecurityContext");
}

}  // namespace
}  // namespace proa::kubelet
