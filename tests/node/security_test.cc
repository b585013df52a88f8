// Privileges and users of containers, checked inside.

#include "shared_cluster.h"

namespace proa::node_tests {
namespace {

using testing::HasSubstr;
using testing::Not;

class SecurityTest : public SharedCluster {
 protected:
  static Fields context(const std::string& of_container, const std::string& of_pod = "") {
    return {.container = "securityContext: {" + of_container + "}",
            .spec = "securityContext: {" + of_pod + "}"};
  }
  // The namespace of that kind ("net", "pid") of this process: "net:[4026531840]".
  static std::string own_namespace(const std::string& kind) {
    return std::filesystem::read_symlink("/proc/self/ns/" + kind).string();
  }
  // "CapEff:\t000001ffffffffff" of this process.
  static std::string own_status(const std::string& name) {
    const std::string text = e2e::run_shell("grep ^" + name + ": /proc/self/status").text;
    return text.substr(0, text.find('\n'));
  }
  // A script that prints such lines of its own process.
  static std::string print_status(const std::string& names) {
    return "grep -E '^(" + names + "):' /proc/self/status";
  }
  // Waits until creating the container fails for that reason and returns the message.
  static std::string refusal(const std::string& name) {
    const std::string state = "status.containerStatuses[0].state.waiting";
    becomes(name, state + ".reason", "CreateContainerConfigError");
    return field(name, state + ".message");
  }
  static std::string named(const std::string& name) {
    return "(pod: \"" + name + "_default(" + field(name, "metadata.uid") + ")\", container: main)";
  }
};

TEST_F(SecurityTest, RunsAsTheUserAndGroupsThatItIsTold) {
  const std::string script = "id -u; id -g; id -G; touch /tmp/x; stat -c '%u %g' /tmp/x";
  EXPECT_EQ(output_of("user", script,
                      context("", "runAsUser: 3000, runAsGroup: 4000, supplementalGroups: [5000]")),
            "3000\n4000\n4000 5000\n3000 4000");
  EXPECT_EQ(output_of("own-user", script,
                      context("runAsUser: 3001", "runAsUser: 3000, runAsGroup: 4000")),
            "3001\n4000\n4000\n3001 4000");
  // Its group comes from the image.
  EXPECT_THAT(output_of("known-user", script, context("runAsUser: 1000")),
              testing::StartsWith("1000\n1000\n1000"));
}

TEST_F(SecurityTest, RefusesRootWhereItIsNotWanted) {
  cluster_->import_busybox("docker.io/library/busybox:named", "user");
  cluster_->import_busybox("docker.io/library/busybox:numbered", "1000");
  const std::string non_root = "runAsNonRoot: true";
  cluster_->apply(pod("root-image", "id", context("", non_root)));
  cluster_->apply(pod("root-user", "id", context("runAsUser: 0", non_root)));
  const auto with_image = [&](const std::string& name, const std::string& tag) {
    std::string text = pod(name, "id -u", context(non_root));
    return text.replace(text.find("busybox:1"), 9, "busybox:" + tag);
  };
  cluster_->apply(with_image("named-user", "named"));
  cluster_->apply(with_image("numbered-user", "numbered"));
  EXPECT_EQ(refusal("root-image"),
            "container has runAsNonRoot and image will run as root " + named("root-image"));
  EXPECT_EQ(refusal("root-user"),
            "container's runAsUser breaks non-root policy " + named("root-user"));
  EXPECT_EQ(refusal("named-user"),
            "container has runAsNonRoot and image has non-numeric user (user), cannot verify user "
            "is non-root " +
                named("named-user"));
  ASSERT_TRUE(becomes("numbered-user", "status.phase", "Succeeded"));
  EXPECT_EQ(cluster_->ask("logs numbered-user"), "1000");
}

// CVE-2020-10749: a pod that advertises itself as router would get what its neighbours send.
TEST_F(SecurityTest, IgnoresRoutersThatOtherPodsPretendToBe) {
  EXPECT_EQ(output_of("advertised", "cat /proc/sys/net/ipv6/conf/eth0/accept_ra", {}), "0");
}

// CVE-2019-11245: a container's second start, or one from an image already present, ignored the
// configured user.
TEST_F(SecurityTest, IsTheSameWhenAContainerStartsAgain) {
  cluster_->import_busybox("docker.io/library/busybox:someone", "1000");
  const std::string script =
      "echo $(id -u) $(awk '/^Seccomp:/ {print $2}' /proc/self/status) >> /it/log; "
      "[ $(wc -l < /it/log) = 2 ] && cat /it/log";
  for (const char* image : {"someone", "1"}) {
    const std::string user = image == std::string("1") ? ", runAsUser: 1000" : "";
    const std::string name = std::string("again-") + image;
    std::string again = container("main", script, "volumeMounts: [{name: it, mountPath: /it}]");
    again.replace(again.find("busybox:1"), 9, std::string("busybox:") + image);
    cluster_->apply("{apiVersion: v1, kind: Pod, metadata: {name: " + name +
                    "}, spec: {restartPolicy: OnFailure, securityContext: {seccompProfile: {type: "
                    "RuntimeDefault}" +
                    user + "}, volumes: [{name: it, emptyDir: {}}], containers: [" + again + "]}}");
    ASSERT_TRUE(becomes(name, "status.phase", "Succeeded"));
    EXPECT_EQ(field(name, "status.containerStatuses[0].restartCount"), "1");
    EXPECT_EQ(cluster_->ask("logs " + name), "1000 2\n1000 2");
  }
}

TEST_F(SecurityTest, GivesAndTakesCapabilities) {
  const std::string script = print_status("CapEff|CapBnd");
  EXPECT_EQ(output_of("usual", script, {}), "CapEff:\t00000000a80425fb\nCapBnd:\t00000000a80425fb");
  EXPECT_EQ(
      output_of("one", script, context("capabilities: {drop: [ALL], add: [NET_BIND_SERVICE]}")),
      "CapEff:\t0000000000000400\nCapBnd:\t0000000000000400");
  // SYS_TIME is number 25, KILL 5.
  EXPECT_EQ(output_of("other", script, context("capabilities: {drop: [KILL], add: [SYS_TIME]}")),
            "CapEff:\t00000000aa0425db\nCapBnd:\t00000000aa0425db");
}

TEST_F(SecurityTest, FiltersSystemCalls) {
  const std::string script = print_status("Seccomp");
  EXPECT_EQ(output_of("no-filter", script, {}), "Seccomp:\t0");
  EXPECT_EQ(output_of("filter", script, context("", "seccompProfile: {type: RuntimeDefault}")),
            "Seccomp:\t2");
  EXPECT_EQ(output_of("own-filter", script,
                      context("seccompProfile: {type: Unconfined}",
                              "seccompProfile: {type: RuntimeDefault}")),
            "Seccomp:\t0");
}

TEST_F(SecurityTest, FiltersSystemCallsByAFileOfTheNode) {
  const std::string folder = cluster_->data_dir() + "/kubelet/seccomp/own";
  std::filesystem::create_directories(folder);
  std::ofstream(folder + "/no-mkdir.json") << R"({"defaultAction": "SCMP_ACT_ALLOW", "syscalls": [
{"names": ["mkdir", "mkdirat"], "action": "SCMP_ACT_ERRNO"}]})";
  EXPECT_EQ(output_of("file-filter", "mkdir /tmp/x 2>&1 || true; touch /tmp/y",
                      context("seccompProfile: {type: Localhost, localhostProfile: "
                              "own/no-mkdir.json}")),
            "mkdir: can't create directory '/tmp/x': Operation not permitted");
}

TEST_F(SecurityTest, ForbidsMorePrivilegesThanAtTheBeginning) {
  const std::string script = print_status("NoNewPrivs");
  EXPECT_EQ(output_of("may-rise", script, {}), "NoNewPrivs:\t0");
  EXPECT_EQ(output_of("no-rise", script, context("allowPrivilegeEscalation: false")),
            "NoNewPrivs:\t1");
}

TEST_F(SecurityTest, KeepsTheRootFolderAsItIs) {
  Fields fields = context("readOnlyRootFilesystem: true");
  fields.container += ", volumeMounts: [{name: it, mountPath: /it}]";
  fields.spec += ", volumes: [{name: it, emptyDir: {}}]";
  EXPECT_EQ(output_of("fixed-root",
                      "touch /x 2>&1 || true; touch /it/x; ls /it; echo m > "
                      "/dev/termination-log",
                      fields),
            "touch: /x: Read-only file system\nx");
  EXPECT_EQ(field("fixed-root", "status.containerStatuses[0].state.terminated.message"), "m");
}

// Except for /sys, which is only writable since containerd 2.
TEST_F(SecurityTest, GivesAllToThePrivileged) {
  const std::string script = print_status("CapBnd|Seccomp") +
                             "; test -e /dev/kmsg && echo devices; mkdir /tmp/m; mount -t tmpfs m "
                             "/tmp/m && echo mounted";
  EXPECT_EQ(output_of("privileged", script, context("privileged: true", R"(
seccompProfile: {type: RuntimeDefault})")),
            own_status("CapBnd") + "\nSeccomp:\t0\ndevices\nmounted");
}

TEST_F(SecurityTest, HidesPartsOfProcFromTheOthers) {
  EXPECT_EQ(output_of("usual-proc",
                      "(echo 1 > /proc/sys/kernel/panic) 2>/dev/null || echo no; "
                      "ls /proc/acpi /sys/firmware 2>/dev/null | grep -v : | wc -w; test -e "
                      "/dev/kmsg || echo few",
                      {}),
            "no\n0\nfew");
}

TEST_F(SecurityTest, RefusesProcUnmaskedWithoutOwnUsers) {
  const e2e::Outcome outcome =
      cluster_->kubectl("create -f -", pod("unmasked", "true", context("procMount: Unmasked")));
  EXPECT_THAT(outcome.text, HasSubstr("`hostUsers` must be false to use `Unmasked`"));
  EXPECT_EQ(outcome.code, 1);
}

TEST_F(SecurityTest, SetsSysctlsOfThePodAlone) {
  EXPECT_EQ(output_of("sysctls",
                      "cat /proc/sys/kernel/shm_rmid_forced; cat "
                      "/proc/sys/net/ipv4/ip_unprivileged_port_start",
                      context("", R"(sysctls: [{name: kernel.shm_rmid_forced, value: '1'},
{name: net.ipv4.ip_unprivileged_port_start, value: '80'}])")),
            "1\n80");
  cluster_->apply(
      pod("unsafe", "true", context("", "sysctls: [{name: kernel.msgmax, value: '1'}]")));
  ASSERT_TRUE(becomes("unsafe", "status.phase", "Failed"));
  EXPECT_EQ(field("unsafe", "status.reason"), "SysctlForbidden");
  EXPECT_EQ(field("unsafe", "status.message"),
            "Pod was rejected: forbidden sysctl: \"kernel.msgmax\" not allowlisted");
}

TEST_F(SecurityTest, SharesNamespacesOfTheNodeOnlyWhenAsked) {
  const std::string script = "for n in net pid ipc uts mnt; do readlink /proc/self/ns/$n; done";
  const std::string own = output_of("own-spaces", script, {});
  for (const char* kind : {"net", "pid", "ipc", "uts", "mnt"}) {
    EXPECT_THAT(own, Not(HasSubstr(own_namespace(kind))));
  }
  const std::string shared = output_of("host-spaces", script + "; head -n 1 /etc/hosts; hostname",
                                       {.spec = "hostNetwork: true, hostPID: true, hostIPC: true"});
  for (const char* kind : {"net", "pid", "ipc"}) {
    EXPECT_THAT(shared, HasSubstr(own_namespace(kind)));
  }
  EXPECT_THAT(shared, HasSubstr("# Kubernetes-managed hosts file (host network).\n"));
  EXPECT_THAT(shared, Not(HasSubstr("\nhost-spaces")));
  EXPECT_EQ(field("host-spaces", "status.podIP"), field("host-spaces", "status.hostIP"));
}

TEST_F(SecurityTest, SharesProcessesWithinAPodOnlyWhenAsked) {
  const auto apply = [](const std::string& name, const std::string& fields) {
    cluster_->apply("{apiVersion: v1, kind: Pod, metadata: {name: " + name +
                    "}, spec: {terminationGracePeriodSeconds: 1, " + fields + " containers: [" +
                    container("one", "sleep 4321") + "," + container("two", "sleep 1000") + "]}}");
  };
  apply("together", "shareProcessNamespace: true,");
  apply("apart", "");
  ASSERT_TRUE(cluster_->wait("together"));
  ASSERT_TRUE(cluster_->wait("apart"));
  const std::string script = "ps -o pid,args | grep -c \"[s]leep 4321\"; ps -o args | sed -n 2p";
  EXPECT_EQ(cluster_->inside("together", script, "two"), "1\n/pause");
  EXPECT_EQ(cluster_->inside("apart", script + " || true", "two"), "0\nsleep 1000");
  const std::string ipc = "readlink /proc/self/ns/ipc; readlink /proc/self/ns/net";
  EXPECT_EQ(cluster_->inside("apart", ipc, "one"), cluster_->inside("apart", ipc, "two"));
}

}  // namespace
}  // namespace proa::node_tests
