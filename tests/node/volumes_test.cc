// Volumes on the node's disk and in memory, checked inside containers that mount them.

#include "shared_cluster.h"

namespace proa::node_tests {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

class VolumesTest : public SharedCluster {
 protected:
  // A volume "it", mounted at /it.
  static Fields with(const std::string& source, const std::string& mount = "",
                     const std::string& spec = "") {
    return {.container = "volumeMounts: [{name: it, mountPath: /it" +
                         (mount.empty() ? "" : ", " + mount) + "}]",
            .spec = "volumes: [{name: it, " + source + "}]" + (spec.empty() ? "" : ", " + spec)};
  }
  static Fields with_host_path(const std::string& path, const std::string& type) {
    return with("hostPath: {path: " + path + ", type: " + type + "}");
  }

  // An image volume, mounted as a whole and in part.
  static Fields with_image(const std::string& reference) {
    return {.container =
                "volumeMounts: [{name: it, mountPath: /it}, {name: it, mountPath: /part, "
                "subPath: etc}]",
            .spec = "volumes: [{name: it, image: {reference: '" + reference + "'}}]"};
  }
  // containerd mounts images since 2.1.
  static bool mounts_images() {
    const std::string runtime = cluster_->ask(
        "get nodes -o jsonpath='{.items[0].status.nodeInfo.containerRuntimeVersion}'");
    return !runtime.starts_with("containerd://1.") && !runtime.starts_with("containerd://2.0.");
  }

  const e2e::TemporaryFolder host_;
};

// A host folder that is a shared mount.
class SharedMount {
 public:
  explicit SharedMount(std::string path) : path_(std::move(path)) {
    const std::string commands =
        "mkdir " + path_ + " && mount -t tmpfs test " + path_ + " && mount --make-shared " + path_;
    const e2e::Outcome made = e2e::run_shell(commands);
    EXPECT_EQ(made.code, 0) << made.text;
  }
  ~SharedMount() { e2e::run_shell("umount -R " + path_); }
  SharedMount(const SharedMount&) = delete;
  SharedMount& operator=(const SharedMount&) = delete;

 private:
  const std::string path_;
};

TEST_F(VolumesTest, EmptyDirIsSharedByContainersOfAPod) {
  const std::string writer = container("writer", "echo shared > /out/file; sleep 1000",
                                       "volumeMounts: [{name: it, mountPath: /out}]");
  cluster_->apply(R"({apiVersion: v1, kind: Pod, metadata: {name: two}, spec: {
terminationGracePeriodSeconds: 1, volumes: [{name: it, emptyDir: {}}], containers: [)" +
                  writer + "," +
                  container("reader", "sleep 1000",
                            "volumeMounts: [{name: it, mountPath: /in, readOnly: true}]") +
                  "]}}");
  ASSERT_TRUE(cluster_->wait("two"));
  EXPECT_EQ(
      cluster_->inside("two", "cat /in/file; stat -c %a /in; touch /in/x 2>&1 || true", "reader"),
      "shared\n777\ntouch: /in/x: Read-only file system");
}

TEST_F(VolumesTest, EmptyDirInMemoryIsAsBigAsItsLimit) {
  const std::string output = output_of(
      "memory",
      "grep ' /it ' /proc/mounts; df -k /it | tail -n 1 | awk '{print $2}'; stat -c %a /it; "
      "dd if=/dev/zero of=/it/big bs=1M count=5 2>&1 | grep -o 'No space left on device'",
      with("emptyDir: {medium: Memory, sizeLimit: 4Mi}"));
  EXPECT_THAT(output, StartsWith("tmpfs /it tmpfs rw,"));
  EXPECT_THAT(output, HasSubstr("\n4096\n1777\nNo space left on device"));
}

// Without its own limit it is bounded by the pod's limit.
TEST_F(VolumesTest, EmptyDirInMemoryIsNotBiggerThanThePod) {
  Fields fields = with("emptyDir: {medium: Memory}");
  fields.container += ", resources: {limits: {memory: 20Mi}}";
  EXPECT_EQ(output_of("memory-of-pod", "df -k /it | tail -n 1 | awk '{print $2}'", fields),
            "20480");
}

TEST_F(VolumesTest, HostPathShowsFilesOfTheNode) {
  host_.file("folder/file", "from the host");
  const std::string folder = host_.path() + "/folder";
  EXPECT_EQ(output_of("host-folder", "cat /it/file; echo; echo back > /it/answer",
                      with_host_path(folder, "Directory")),
            "from the host");
  EXPECT_EQ(e2e::run_shell("cat " + folder + "/answer").text, "back\n");
}

TEST_F(VolumesTest, HostPathTypesAreCheckedOrMade) {
  host_.file("file", "content");
  const std::string base = host_.path();
  struct Case {
    std::string name;
    std::string path;
    std::string type;
    std::string test;  // the condition to check inside
  };
  const std::vector<Case> cases = {
      {"new-folder", base + "/a/b", "DirectoryOrCreate", "-d"},
      {"old-file", base + "/file", "File", "-s"},
      {"new-file", base + "/new", "FileOrCreate", "-f"},
      {"device", "/dev/null", "CharDevice", "-c"},
  };
  for (const Case& c : cases) {
    cluster_->apply(pod(c.name, "test " + c.test + " /it", with_host_path(c.path, c.type)));
  }
  for (const Case& c : cases) becomes(c.name, "status.phase", "Succeeded");
}

TEST_F(VolumesTest, HostPathOfAnotherTypeIsRefused) {
  host_.file("file", "content");
  const std::string base = host_.path();
  struct Case {
    std::string name;
    std::string path;
    std::string type;
    std::string message;
  };
  const std::vector<Case> cases = {
      {"no-folder", base + "/none", "Directory", "/none is not a directory"},
      {"not-a-folder", base + "/file", "Directory", "/file is not a directory"},
      {"not-a-file", base, "File", base + " is not a file"},
      {"not-a-socket", base + "/file", "Socket", "/file is not a socket file"},
      {"not-a-block", base + "/file", "BlockDevice", "/file is not a block device"},
  };
  for (const Case& c : cases) {
    cluster_->apply(pod(c.name, "true", with_host_path(c.path, c.type)));
  }
  for (const Case& c : cases) {
    const std::string message = event(c.name, "FailedMount");
    EXPECT_THAT(message, StartsWith("MountVolume.SetUp failed for volume \"it\" : "));
    EXPECT_THAT(message, HasSubstr("hostPath type check failed: ")) << c.name;
    EXPECT_THAT(message, HasSubstr(c.message)) << c.name;
    EXPECT_EQ(field(c.name, "status.phase"), "Pending");
    EXPECT_EQ(field(c.name, "status.containerStatuses[0].state.waiting.reason"),
              "ContainerCreating");
  }
  // The pod continues as soon as it exists.
  std::filesystem::create_directory(base + "/none");
  becomes("no-folder", "status.phase", "Succeeded");
}

TEST_F(VolumesTest, PartsOfThemAreMountedAlone) {
  host_.file("part/file", "one part");
  host_.file("lone", "lone file");
  const std::string mounts = R"(
env: [{name: WHO, valueFrom: {fieldRef: {fieldPath: metadata.name}}}],
volumeMounts: [{name: it, mountPath: /part, subPath: part},
               {name: it, mountPath: /lone, subPath: lone, readOnly: true},
               {name: it, mountPath: /new, subPath: made/deep},
               {name: it, mountPath: /own, subPathExpr: 'of/$(WHO)'}])";
  const std::string output = output_of(
      "parts",
      "cat /part/file; echo; cat /lone; echo; touch /new/x /own/y; (echo z > /lone) 2>&1 || true",
      {.container = mounts,
       .spec = "volumes: [{name: it, hostPath: {path: " + host_.path() + "}}]"});
  EXPECT_THAT(output, HasSubstr("one part\nlone file\n"));
  EXPECT_THAT(output, HasSubstr("Read-only file system"));
  EXPECT_TRUE(std::filesystem::exists(host_.path() + "/made/deep/x"));
  EXPECT_TRUE(std::filesystem::exists(host_.path() + "/of/parts/y"));
}

TEST_F(VolumesTest, PartsThatLeadOutOfThemAreRefused) {
  std::filesystem::create_symlink("/etc", host_.path() + "/out");
  cluster_->apply(pod("escape", "cat /it/passwd",
                      with("hostPath: {path: " + host_.path() + "}", "subPath: out")));
  const std::string state = "status.containerStatuses[0].state.waiting";
  ASSERT_TRUE(becomes("escape", state + ".reason", "CreateContainerConfigError"));
  EXPECT_EQ(field("escape", state + ".message"),
            "failed to create subPath directory for volumeMount \"it\" of container \"main\"");
}

TEST_F(VolumesTest, PartsNeedTheVariablesThatTheyName) {
  cluster_->apply(pod("unknown", "true", with("emptyDir: {}", "subPathExpr: 'a/$(NOBODY)'")));
  const std::string state = "status.containerStatuses[0].state.waiting";
  ASSERT_TRUE(becomes("unknown", state + ".reason", "CreateContainerConfigError"));
  EXPECT_EQ(field("unknown", state + ".message"), "missing value for NOBODY");
}

TEST_F(VolumesTest, BelongToTheGroupOfThePod) {
  const std::string output =
      output_of("group", "stat -c '%u %g %a' /it; id; touch /it/file; stat -c '%u %g' /it/file",
                with("emptyDir: {}", "", "securityContext: {fsGroup: 4321, runAsUser: 1234}"));
  EXPECT_EQ(output, "0 4321 2777\nuid=1234 gid=0(root) groups=0(root),4321\n1234 4321");
}

TEST_F(VolumesTest, OfTheHostAreNotGivenToTheGroup) {
  host_.file("file", "");
  const std::string output = output_of(
      "host-group", "stat -c '%g %a' /it/file",
      with("hostPath: {path: " + host_.path() + "}", "", "securityContext: {fsGroup: 4321}"));
  EXPECT_EQ(output, "0 644");
}

TEST_F(VolumesTest, OfImagesAreReadOnlyContent) {
  if (!mounts_images()) GTEST_SKIP() << "image volumes need containerd 2.1 or later";
  cluster_->import_busybox("docker.io/library/data:1", "77");
  EXPECT_EQ(output_of("image",
                      "head -n 1 /it/etc/passwd; ls /part; touch /it/file /part/file 2>&1 || true",
                      with_image("data:1")),
            "root:x:0:0:root:/:/bin/sh\ngroup\npasswd\ntouch: /it/file: Read-only file system\n"
            "touch: /part/file: Read-only file system");
}

// Older ones ignore the image and miss a path of the node.
TEST_F(VolumesTest, OfImagesNeedARuntimeThatKnowsThem) {
  if (mounts_images()) GTEST_SKIP() << "containerd mounts images";
  cluster_->apply(pod("no-image-mounts", "true", with_image("busybox:1")));
  ASSERT_TRUE(becomes("no-image-mounts", "status.containerStatuses[0].state.waiting.reason",
                      "CreateContainerError"));
}

TEST_F(VolumesTest, ComeFromClaims) {
  host_.file("disk/file", "on a local disk");
  const std::string node = cluster_->ask("get nodes -o jsonpath='{.items[0].metadata.name}'");
  cluster_->apply(R"(
{apiVersion: v1, kind: List, items: [
{apiVersion: storage.k8s.io/v1, kind: StorageClass, metadata: {name: disks},
 provisioner: kubernetes.io/no-provisioner, volumeBindingMode: WaitForFirstConsumer},
{apiVersion: v1, kind: PersistentVolumeClaim, metadata: {name: claim},
 spec: {storageClassName: disks, accessModes: [ReadWriteOnce], resources: {requests: {storage: 1Mi}}}},
{apiVersion: v1, kind: PersistentVolume, metadata: {name: disk}, spec: {
 storageClassName: disks, accessModes: [ReadWriteOnce], capacity: {storage: 1Gi},
 local: {path: )" +
                  host_.path() + R"(/disk},
 nodeAffinity: {required: {nodeSelectorTerms: [{matchExpressions: [
   {key: kubernetes.io/hostname, operator: In, values: [)" +
                  node + "]}]}]}}}}]}");
  EXPECT_EQ(output_of("claimer", "cat /it/file; echo; stat -c '%g %a' /it /it/file; echo x > /it/x",
                      with("persistentVolumeClaim: {claimName: claim}", "",
                           "securityContext: {fsGroup: 77}")),
            "on a local disk\n77 2775\n77 664");
  EXPECT_TRUE(std::filesystem::exists(host_.path() + "/disk/x"));
}

// A file as a loop device.
class LoopDevice {
 public:
  explicit LoopDevice(const std::string& file) {
    const e2e::Outcome made =
        e2e::run_shell("truncate -s 1M " + file + " && losetup --find --show " + file);
    if (made.code == 0) path_ = made.text.substr(0, made.text.find('\n'));
  }
  ~LoopDevice() {
    if (!path_.empty()) e2e::run_shell("losetup --detach " + path_);
  }
  LoopDevice(const LoopDevice&) = delete;
  LoopDevice& operator=(const LoopDevice&) = delete;
  // Empty if the kernel has no such devices.
  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

TEST_F(VolumesTest, OfBlocksAreDevicesInTheContainer) {
  const LoopDevice disk(host_.path() + "/blocks");
  if (disk.path().empty()) GTEST_SKIP() << "the kernel has no loop devices";
  e2e::run_shell("printf 'on a raw disk' | dd conv=notrunc of=" + disk.path());
  const std::string node = cluster_->ask("get nodes -o jsonpath='{.items[0].metadata.name}'");
  cluster_->apply(R"(
{apiVersion: v1, kind: List, items: [
{apiVersion: v1, kind: PersistentVolumeClaim, metadata: {name: blocks}, spec: {
 storageClassName: raw, volumeMode: Block, accessModes: [ReadWriteOnce],
 resources: {requests: {storage: 1Mi}}}},
{apiVersion: v1, kind: PersistentVolume, metadata: {name: blocks}, spec: {
 storageClassName: raw, volumeMode: Block, accessModes: [ReadWriteOnce], capacity: {storage: 1Mi},
 local: {path: )" +
                  disk.path() +
                  R"(}, nodeAffinity: {required: {nodeSelectorTerms: [{matchExpressions: [
   {key: kubernetes.io/hostname, operator: In, values: [)" +
                  node + "]}]}]}}}}]}");
  const auto using_it = [](const std::string& fields) {
    return Fields{
        .container = "volumeDevices: [{name: it, devicePath: /dev/it}]",
        .spec = "volumes: [{name: it, persistentVolumeClaim: {claimName: blocks" + fields + "}}]"};
  };
  EXPECT_EQ(output_of("blocks",
                      "test -b /dev/it && head -c 13 /dev/it; echo; "
                      "printf written | dd of=/dev/it conv=notrunc,fsync 2>/dev/null && echo done",
                      using_it("")),
            "on a raw disk\ndone");
  EXPECT_EQ(output_of("blocks-to-read",
                      "head -c 7 /dev/it; echo; echo x 2>/dev/null > /dev/it || echo refused",
                      using_it(", readOnly: true")),
            "written\nrefused");
}

// Without a provisioner: an existing volume is used.
TEST_F(VolumesTest, ComeFromClaimsThatLiveAsLongAsThePod) {
  std::filesystem::create_directory(host_.path() + "/disk");
  cluster_->apply(R"(
{apiVersion: v1, kind: PersistentVolume, metadata: {name: ready}, spec: {
 storageClassName: ready, accessModes: [ReadWriteOnce], capacity: {storage: 1Gi},
 hostPath: {path: )" +
                  host_.path() + "/disk}}}");
  ASSERT_TRUE(run("short", with(R"(ephemeral: {volumeClaimTemplate: {spec: {
storageClassName: ready, accessModes: [ReadWriteOnce], resources: {requests: {storage: 1Mi}}}}})")));
  cluster_->inside("short", "echo data > /it/file");
  EXPECT_EQ(e2e::run_shell("cat " + host_.path() + "/disk/file").text, "data\n");
  EXPECT_EQ(cluster_->ask("get pvc short-it -o jsonpath={.status.phase}"), "Bound");
  cluster_->ask("delete pod short");
  EXPECT_TRUE(cluster_->eventually("get pvc short-it --ignore-not-found", ""));
}

TEST_F(VolumesTest, CarryMountsToAndFro) {
  const SharedMount shared(host_.path() + "/shared");
  const std::string path = host_.path() + "/shared";
  const auto mount = [](const std::string& mode) {
    return "volumeMounts: [{name: it, mountPath: /it, mountPropagation: " + mode + "}]";
  };
  cluster_->apply(R"({apiVersion: v1, kind: Pod, metadata: {name: mounts}, spec: {
terminationGracePeriodSeconds: 1, volumes: [{name: it, hostPath: {path: )" +
                  path + "}}], containers: [" +
                  container("both", "sleep 1000",
                            "securityContext: {privileged: true}, " + mount("Bidirectional")) +
                  "," + container("in", "sleep 1000", mount("HostToContainer")) + "," +
                  container("none", "sleep 1000", mount("None")) + "]}}");
  ASSERT_TRUE(cluster_->wait("mounts"));
  cluster_->inside("mounts", "mkdir /it/made && mount -t tmpfs made /it/made && touch /it/made/x",
                   "both");
  EXPECT_TRUE(std::filesystem::exists(path + "/made/x"));
  EXPECT_EQ(cluster_->inside("mounts", "ls /it/made", "in"), "x");
  EXPECT_EQ(cluster_->inside("mounts", "ls /it/made", "none"), "");
  cluster_->inside("mounts", "umount /it/made", "both");
  cluster_->ask("delete pod mounts");
}

// The runtime decides whether that is possible.
TEST_F(VolumesTest, AreReadOnlyWithAllBelowWhereThatCanBe) {
  const bool can = cluster_->ask("get nodes -o jsonpath='{.items[0].status.runtimeHandlers}'")
                       .find("\"recursiveReadOnlyMounts\":true") != std::string::npos;
  const auto read_only = [](const std::string& mode) {
    return with("emptyDir: {}", "readOnly: true, recursiveReadOnly: " + mode);
  };
  ASSERT_TRUE(run("if-possible", read_only("IfPossible")));
  EXPECT_EQ(field("if-possible",
                  R"(status.containerStatuses[0].volumeMounts[?(@.name=="it")].recursiveReadOnly)"),
            can ? "Enabled" : "Disabled");
  if (can) return;
  cluster_->apply(pod("by-all-means", "true", read_only("Enabled")));
  EXPECT_TRUE(becomes("by-all-means", "status.containerStatuses[0].state.waiting.reason",
                      "CreateContainerConfigError"));
}

TEST_F(VolumesTest, GoWithTheirPod) {
  ASSERT_TRUE(run("leaving", with("emptyDir: {medium: Memory}")));
  const std::string folder =
      cluster_->data_dir() + "/kubelet/pods/" + field("leaving", "metadata.uid");
  EXPECT_TRUE(std::filesystem::exists(folder + "/volumes/kubernetes.io~empty-dir/it")) << folder;
  cluster_->ask("delete pod leaving");
  EXPECT_TRUE(testkit::holds_within(std::chrono::seconds(10),
                                    [&] { return !std::filesystem::exists(folder); }));
}

}  // namespace
}  // namespace proa::node_tests
