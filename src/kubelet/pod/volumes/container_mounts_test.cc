#include "kubelet/pod/volumes/container_mounts.h"

#include "json/parse.h"
#include "kubelet/host/mounts/folder.h"
#include "kubelet/host/mounts/mount_calls.h"
#include "testkit/kubelet/volume_fixtures.h"

namespace proa::kubelet {
namespace {

class ContainerMounts : public ::testing::Test {
 protected:
  Result<std::vector<ContainerMount>> make(const std::string& mounts, bool recursive = false) {
    const PodPtr pod =
        testing::make_pod(R"({"containers":[{"name":"c","volumeMounts":[)" + mounts + "]}]}");
    return make_container_mounts({.pod = *pod,
                                  .container = pod->spec()["containers"].item(0),
                                  .volumes = volumes_,
                                  .environment = environment_,
                                  .paths = paths_,
                                  .runtime_knows_recursive_read_only = recursive});
  }
  std::string failure(const std::string& mounts, bool recursive = false) {
    const auto made = make(mounts, recursive);
    return made.ok() ? "" : made.status().message();
  }

  testing::TemporaryFolder folder_;
  const Paths paths_{folder_.path(), folder_.path()};
  MountedVolumes volumes_ = {
      {"rw", {.path = folder_.at("rw"), .selinux_relabel = true}},
      {"ro", {.path = folder_.at("ro"), .read_only = true}},
      {"disk", {.path = "/dev/disk", .is_block = true}},
      {"image",
       {.read_only = true, .image = VolumeImage{.specified = "app:1", .resolved = "sha256:1"}}},
      {"unpulled", {.read_only = true, .image = VolumeImage{.specified = "app:2"}}},
  };
  const Environment environment_ = {{"A", "first"}, {"EMPTY", ""}, {"UP", ".."}, {"A", "last"}};
};

TEST_F(ContainerMounts, FollowTheSpec) {
  const auto made =
      make(R"({"name":"rw","mountPath":"/a","mountPropagation":"HostToContainer"},)"
           R"({"name":"ro","mountPath":"b","mountPropagation":"Bidirectional"},)"
           R"({"name":"rw","mountPath":"/c","readOnly":true,"recursiveReadOnly":"Enabled"})",
           true);
  ASSERT_TRUE(made.ok()) << made.status().message();
  ASSERT_EQ(made->size(), 3u);
  EXPECT_EQ((*made)[0].host_path, folder_.at("rw"));
  EXPECT_FALSE((*made)[0].read_only);
  EXPECT_TRUE((*made)[0].selinux_relabel);
  EXPECT_EQ((*made)[0].propagation, ContainerMount::Propagation::kHostToContainer);
  EXPECT_EQ((*made)[1].container_path, "/b");
  EXPECT_TRUE((*made)[1].read_only);
  EXPECT_EQ((*made)[1].propagation, ContainerMount::Propagation::kBidirectional);
  EXPECT_TRUE((*made)[2].read_only);
  EXPECT_TRUE((*made)[2].recursive_read_only);
}

TEST_F(ContainerMounts, AreReadOnlyRecursivelyWhereThatIsPossible) {
  struct Case {
    const char* mount;
    bool known;
    bool recursive;
    const char* failure;
  };
  const std::string where =
      "failed to resolve recursive read-only mode: volume \"rw\" requested "
      "recursive read-only mode, but ";
  for (
      const Case& c : {
          Case{R"("readOnly":true)", true, false, ""},
          Case{R"("readOnly":true,"recursiveReadOnly":"Disabled")", true, false, ""},
          Case{R"("readOnly":true,"recursiveReadOnly":"IfPossible")", true, true, ""},
          Case{R"("readOnly":true,"recursiveReadOnly":"IfPossible")", false, false, ""},
          Case{R"("readOnly":true,"recursiveReadOnly":"Enabled")", false, false,
               "it is not supported by the runtime"},
          Case{R"("recursiveReadOnly":"Enabled")", true, false, "it is not read-only"},
          Case{R"("readOnly":true,"recursiveReadOnly":"Enabled","mountPropagation":"None")", true,
               true, ""},
          Case{
              R"("readOnly":true,"recursiveReadOnly":"IfPossible","mountPropagation":"HostToContainer")",
              true, false, "it is not compatible with propagation \"HostToContainer\""},
      }) {
    SCOPED_TRACE(c.mount);
    const auto made =
        make(std::string(R"({"name":"rw","mountPath":"/a",)") + c.mount + "}", c.known);
    const std::string expected = *c.failure == 0 ? "" : where + c.failure;
    EXPECT_EQ(made.ok() ? "" : made.status().message(), expected);
    if (made.ok()) {
      EXPECT_EQ(made->front().recursive_read_only, c.recursive);
    }
  }
}

TEST_F(ContainerMounts, AreRefusedWhereTheyMakeNoSense) {
  struct Case {
    const char* mount;
    const char* failure;
  };
  for (const Case& c : {
           Case{R"("name":"none")", R"(cannot find volume "none" to mount into container "c")"},
           Case{R"("name":"disk")", R"(cannot find volume "disk" to mount into container "c")"},
           Case{R"("name":"unpulled")",
                R"(cannot find volume "unpulled" to mount into container "c")"},
           Case{R"("name":"image","subPath":"../x")",
                "unable to provision SubPath `../x`: must not contain '..'"},
           Case{R"("name":"rw","mountPropagation":"Odd")",
                R"(invalid MountPropagation mode: "Odd")"},
           Case{R"("name":"rw","subPath":"/a")", "error SubPath `/a` must not be an absolute path"},
           Case{R"("name":"rw","subPath":"a/../b")",
                "unable to provision SubPath `a/../b`: must not contain '..'"},
           Case{R"("name":"rw","subPathExpr":"$(NO)/$(EMPTY)/$(A)/x")",
                "missing value for EMPTY, NO"},
           Case{R"("name":"rw","subPathExpr":"$(UP)/x")",
                "unable to provision SubPath `../x`: must not contain '..'"},
           // Nothing about why: that would tell about the node.
           Case{R"("name":"ro","subPath":"x")",
                R"(failed to create subPath directory for volumeMount "ro" of container "c")"},
       }) {
    SCOPED_TRACE(c.mount);
    EXPECT_EQ(failure(std::string("{") + c.mount + R"(,"mountPath":"/m"})"), c.failure);
  }
}

TEST_F(ContainerMounts, LeaveImagesToTheRuntime) {
  const auto made = make(R"({"name":"image","mountPath":"/a","readOnly":false},)"
                         R"({"name":"image","mountPath":"/b","subPath":"usr/share"},)"
                         R"json({"name":"image","mountPath":"/c","subPathExpr":"x/$(A)"})json");
  ASSERT_TRUE(made.ok()) << made.status().message();
  const char* const sub_paths[] = {"", "usr/share", "x/last"};
  ASSERT_EQ(made->size(), std::size(sub_paths));
  for (size_t i = 0; i < made->size(); ++i) {
    const ContainerMount& mount = (*made)[i];
    EXPECT_EQ(mount.host_path, "");
    EXPECT_TRUE(mount.read_only);
    EXPECT_EQ(mount.propagation, ContainerMount::Propagation::kPrivate);
    ASSERT_TRUE(mount.image.has_value());
    EXPECT_EQ(mount.image->resolved, "sha256:1");
    EXPECT_EQ(mount.image_sub_path, sub_paths[i]);
  }
  EXPECT_FALSE(testing::is_there(paths_.subpaths(testing::kUid)));
}

TEST_F(ContainerMounts, BindPartsOfVolumes) {
  if (!testing::is_root()) GTEST_SKIP() << "needs root";
  ASSERT_TRUE(make_folders(folder_.at("rw"), 0755).ok());
  testing::with_own_mounts([this] {
    const auto made = make(R"({"name":"rw","mountPath":"/a","subPath":"one/two"},)"
                           R"({"name":"rw","mountPath":"/b","subPathExpr":"$(A)-$$(A)$"})");
    ASSERT_TRUE(made.ok()) << made.status().message();
    const std::string first = paths_.subpaths(testing::kUid) + "/rw/c/0";
    EXPECT_EQ((*made)[0].host_path, first);
    EXPECT_EQ((*made)[1].host_path, paths_.subpaths(testing::kUid) + "/rw/c/1");
    testing::put_file(first + "/file", "x");
    EXPECT_EQ(testing::file_text(folder_.at("rw/one/two/file")), "x");
    EXPECT_TRUE(testing::is_there(folder_.at("rw/last-$(A)$")));
    EXPECT_TRUE(*is_mount_point((*made)[1].host_path));
  });
}

TEST_F(ContainerMounts, HaveDevicesToo) {
  const auto make_devices = [this](const std::string& device) {
    const json::Document container =
        *json::parse(R"({"name":"c","volumeDevices":[)" + device + "]}");
    return make_container_devices(container.root(), volumes_);
  };
  const auto made = make_devices(R"({"name":"disk","devicePath":"/dev/x"})");
  ASSERT_TRUE(made.ok());
  EXPECT_EQ(made->front().host_path, "/dev/disk");
  EXPECT_EQ(made->front().container_path, "/dev/x");
  EXPECT_EQ(made->front().permissions, "mrw");
  EXPECT_EQ(make_devices(R"({"name":"rw","devicePath":"/dev/x"})").status().message(),
            R"(cannot find volume "rw" to pass into container "c")");
  EXPECT_EQ(make_devices(R"({"name":"disk","devicePath":"dev"})").status().message(),
            "error DevicePath `dev` must be an absolute path");
}

}  // namespace
}  // namespace proa::kubelet
