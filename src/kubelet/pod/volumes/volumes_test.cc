#include "kubelet/pod/volumes/volumes.h"

#include "kubelet/host/mounts/folder.h"
#include "kubelet/host/mounts/mount_calls.h"
#include "testkit/fake_clock.h"
#include "testkit/kubelet/volume_fixtures.h"

namespace proa::kubelet {
namespace {

using testing::file_text;
using testing::is_there;
using testing::make_pod;

std::string spec_of(const std::string& volume, const std::string& more = "") {
  return R"({"volumes":[{"name":"v",)" + volume +
         R"(}],"containers":[{"name":"c","volumeMounts":[{"name":"v","mountPath":"/v"}]}])" + more +
         "}";
}

class NodeVolumes : public ::testing::Test {
 protected:
  void restart() {
    volumes_ = make_volumes(
        {.clock = clock_,
         .files = files_,
         .objects = objects_,
         .tokens = [this](const Pod&, const std::string&, int64_t seconds) -> Result<BoundToken> {
           return BoundToken{.token = "token" + std::to_string(++tokens_),
                             .expires = clock_.now() + std::chrono::seconds(seconds)};
         },
         .paths = paths_,
         .update_failed = [this](const Pod&,
                                 const std::string& message) { complaint_ = message; }});
  }
  void SetUp() override { restart(); }
  std::string failure(const std::string& spec) {
    const auto mounted = volumes_->mount(*make_pod(spec), {}, {});
    return mounted.ok() ? "" : mounted.status().message();
  }
  // The path of "v".
  std::string mount(const Pod& pod) {
    const auto mounted = volumes_->mount(pod, {}, {});
    EXPECT_TRUE(mounted.ok()) << mounted.status().message();
    return mounted.ok() ? mounted->at("v").path : "";
  }

  testing::TemporaryFolder folder_;
  const Paths paths_{folder_.at("kubelet"), folder_.at("logs")};
  testkit::FakeClock clock_;
  SystemFiles files_;
  testing::FakeObjects objects_;
  int tokens_ = 0;
  std::string complaint_;
  std::unique_ptr<Volumes> volumes_;
};

TEST_F(NodeVolumes, SayWhyTheyCanNotBeMounted) {
  const auto unprocessed = [](const std::string& why) {
    return "Unable to attach or mount volumes: unmounted volumes=[v], unattached volumes=[], "
           "failed to process volumes=[v]: " +
           why;
  };
  struct Case {
    const char* volume;
    std::string failure;
  };
  for (const Case& c : {
           Case{R"("configMap":{"name":"x"})",
                R"(MountVolume.SetUp failed for volume "v" : configmap "x" not found)"},
           Case{R"("hostPath":{"path":"/none","type":"File"})",
                "MountVolume.SetUp failed for volume \"v\" : hostPath type check failed: /none is "
                "not a file"},
           Case{R"("emptyDir":{"medium":"Clay"})",
                "MountVolume.SetUp failed for volume \"v\" : unknown storage medium \"Clay\""},
           Case{R"("persistentVolumeClaim":{"claimName":"x"})",
                unprocessed("error processing PVC shop/x: failed to fetch PVC from API server: "
                            "persistentvolumeclaims \"x\" not found")},
           Case{R"("nfs":{"server":"s","path":"/"})",
                unprocessed("failed to get Plugin from volumeSpec for volume \"v\" err=no volume "
                            "plugin matched: this node has no volumes of type nfs")},
           Case{R"("local":{"path":"/"})",
                unprocessed("failed to get Plugin from volumeSpec for volume \"v\" err=no volume "
                            "plugin matched: this node has no volumes of type local")},
       }) {
    SCOPED_TRACE(c.volume);
    EXPECT_EQ(failure(spec_of(c.volume)), c.failure);
  }
}

TEST_F(NodeVolumes, AreMountedOnlyWhereContainersUseThem) {
  const auto mounted = volumes_->mount(
      *make_pod(
          R"({"volumes":[{"name":"unused","nfs":{}},{"name":"used","emptyDir":{}},{"name":"bare"}],)"
          R"("containers":[{"volumeMounts":[{"name":"bare"}]}],)"
          R"("initContainers":[{"volumeMounts":[{"name":"used"}]}]})"),
      {}, {});
  ASSERT_TRUE(mounted.ok()) << mounted.status().message();
  EXPECT_EQ(mounted->size(), 2u);
  EXPECT_EQ(mounted->at("used").path, paths_.volume(testing::kUid, "empty-dir", "used"));
  EXPECT_EQ(testing::mode_at(mounted->at("bare").path), 0777u);
}

TEST_F(NodeVolumes, KeepAnEmptyDirAcrossRestarts) {
  const PodPtr pod = make_pod(spec_of(R"("emptyDir":{})"));
  const std::string path = mount(*pod);
  testing::put_file(path + "/file", "kept");
  ASSERT_EQ(::chmod(path.c_str(), 0700), 0);  // the pod's own doing: it stays
  restart();
  EXPECT_EQ(mount(*pod), path);
  EXPECT_EQ(file_text(path + "/file"), "kept");
  EXPECT_EQ(testing::mode_at(path), 0700u);
  EXPECT_EQ(*volumes_->pods(), std::vector{api::Uid(testing::kUid)});
  ASSERT_TRUE(volumes_->unmount(testing::kUid).ok());
  EXPECT_TRUE(volumes_->pods()->empty());
  EXPECT_TRUE(volumes_->unmount(testing::kUid).ok());
  EXPECT_FALSE(volumes_->unmount(api::UidView("..")).ok());
}

TEST_F(NodeVolumes, FollowAConfigMapAndStayWhenItIsGone) {
  std::string& conf = objects_.objects["configmaps/shop/conf"];
  const PodPtr pod = make_pod(spec_of(R"("configMap":{"name":"conf"})"));
  conf = R"({"data":{"a":"1"}})";
  const std::string path = mount(*pod);
  EXPECT_EQ(file_text(path + "/a"), "1");
  conf = R"({"data":{"b":"2"}})";
  mount(*pod);
  EXPECT_EQ(file_text(path + "/a"), "<none>");
  EXPECT_EQ(file_text(path + "/b"), "2");
  EXPECT_EQ(complaint_, "");
  objects_.objects.clear();
  restart();
  mount(*pod);
  EXPECT_EQ(file_text(path + "/b"), "2");
  EXPECT_EQ(complaint_, R"(MountVolume.SetUp failed for volume "v" : configmap "conf" not found)");
}

TEST_F(NodeVolumes, CheckAHostPathOnce) {
  ASSERT_TRUE(make_folders(folder_.at("host"), 0755).ok());
  const PodPtr pod = make_pod(
      spec_of(R"("hostPath":{"type":"Directory","path":")" + folder_.at("host") + R"("})"));
  EXPECT_EQ(mount(*pod), folder_.at("host"));
  ASSERT_TRUE(remove_tree(folder_.at("host")).ok());
  EXPECT_EQ(mount(*pod), folder_.at("host"));
}

TEST_F(NodeVolumes, HaveNothingOnTheNodeForAnImage) {
  const PodPtr pod = make_pod(spec_of(R"("image":{"reference":"app:1","pullPolicy":"Never"})"));
  const auto mounted = volumes_->mount(*pod, {}, {});
  ASSERT_TRUE(mounted.ok()) << mounted.status().message();
  const MountedVolume& volume = mounted->at("v");
  EXPECT_EQ(volume.path, "");
  EXPECT_TRUE(volume.read_only);
  EXPECT_FALSE(volume.selinux_relabel);
  ASSERT_TRUE(volume.image.has_value());
  EXPECT_EQ(volume.image->specified, "app:1");
  EXPECT_EQ(volume.image->pull_policy, "Never");
  EXPECT_EQ(volume.image->resolved, "") << "it is not pulled yet";
  EXPECT_TRUE(volumes_->unmount(testing::kUid).ok());
}

TEST_F(NodeVolumes, PutSecretsAndTokensIntoMemory) {
  if (!testing::is_root()) GTEST_SKIP() << "needs root";
  objects_.objects["secrets/shop/s"] = R"({"data":{"k":"aHVzaA=="}})";
  testing::with_own_mounts([this] {
    const PodPtr pod = make_pod(spec_of(
        R"("projected":{"sources":[{"secret":{"name":"s"}},{"serviceAccountToken":{"path":"token"}}]})",
        R"(,"securityContext":{"fsGroup":77,"runAsUser":55})"));
    const std::string path = mount(*pod);
    EXPECT_TRUE(*is_mount_point(path));
    EXPECT_TRUE(is_tmpfs(path));
    EXPECT_EQ(file_text(path + "/k"), "hush");
    EXPECT_EQ(file_text(path + "/token"), "token1");
    const struct stat token = testing::look_at(path + "/..data/token");
    EXPECT_EQ(token.st_mode & 07777, 0640u);
    EXPECT_EQ(token.st_uid, 55u);
    EXPECT_EQ(token.st_gid, 77u);
    EXPECT_EQ(testing::mode_at(path), 03777u);
    EXPECT_LE(volumes_->next_refresh(testing::kUid), clock_.now() + std::chrono::minutes(48));
    clock_.advance(std::chrono::minutes(49));
    mount(*pod);
    EXPECT_EQ(file_text(path + "/token"), "token2");
    ASSERT_TRUE(volumes_->unmount(testing::kUid).ok());
    EXPECT_FALSE(is_there(paths_.pod(testing::kUid)));
    EXPECT_EQ(volumes_->next_refresh(testing::kUid), Time::max());
  });
}

TEST_F(NodeVolumes, MountAnEmptyDirOfMemoryWithItsLimit) {
  if (!testing::is_root()) GTEST_SKIP() << "needs root";
  testing::with_own_mounts([this] {
    const PodPtr pod = make_pod(spec_of(R"("emptyDir":{"medium":"Memory","sizeLimit":"64Ki"})"));
    const std::string path = mount(*pod);
    EXPECT_TRUE(is_tmpfs(path));
    testing::put_file(path + "/file", std::string(1 << 20, 'x'));
    EXPECT_LE(testing::look_at(path + "/file").st_size, 64 << 10);
    restart();
    EXPECT_EQ(mount(*pod), path);
    EXPECT_TRUE(is_there(path + "/file"));
    ASSERT_TRUE(volumes_->unmount(testing::kUid).ok());
  });
}

TEST_F(NodeVolumes, BindLocalVolumesAndLeaveWhatIsInThem) {
  if (!testing::is_root()) GTEST_SKIP() << "needs root";
  ASSERT_TRUE(make_folders(folder_.at("disk"), 0755).ok());
  testing::put_file(folder_.at("disk/precious"), "gold");
  objects_.objects["persistentvolumeclaims/shop/data"] =
      R"({"metadata":{"uid":"c1"},"spec":{"volumeName":"pv"},"status":{"phase":"Bound"}})";
  objects_.objects["persistentvolumes//pv"] =
      R"({"spec":{"claimRef":{"uid":"c1"},"local":{"path":")" + folder_.at("disk") + R"("}}})";
  testing::with_own_mounts([this] {
    const PodPtr pod = make_pod(spec_of(R"("persistentVolumeClaim":{"claimName":"data"})",
                                        R"(,"securityContext":{"fsGroup":77})"));
    const std::string path = mount(*pod);
    EXPECT_EQ(path, paths_.volume(testing::kUid, "local-volume", "pv"));
    EXPECT_EQ(file_text(path + "/precious"), "gold");
    EXPECT_EQ(testing::look_at(folder_.at("disk/precious")).st_gid, 77u);
    EXPECT_EQ(testing::mode_at(folder_.at("disk")), 02775u);
    // The claim goes away: who has the volume keeps it.
    objects_.objects.clear();
    EXPECT_EQ(mount(*pod), path);
    ASSERT_TRUE(volumes_->unmount(testing::kUid).ok());
    EXPECT_FALSE(is_there(paths_.pod(testing::kUid)));
    EXPECT_EQ(file_text(folder_.at("disk/precious")), "gold");
  });
}

TEST_F(NodeVolumes, CreateTheDirectoryOfALocalPathVolume) {
  if (!testing::is_root()) GTEST_SKIP() << "needs root";
  objects_.objects["persistentvolumeclaims/shop/data"] =
      R"({"metadata":{"uid":"c1"},"spec":{"volumeName":"pvc-c1"},"status":{"phase":"Bound"}})";
  const std::string path = folder_.at("storage/pvc-c1");
  objects_.objects["persistentvolumes//pvc-c1"] =
      R"({"metadata":{"annotations":{"pv.kubernetes.io/provisioned-by":"proa.dev/local-path"}},)"
      R"("spec":{"claimRef":{"uid":"c1"},"local":{"path":")" +
      path + R"("}}})";
  testing::with_own_mounts([&] {
    mount(*make_pod(spec_of(R"("persistentVolumeClaim":{"claimName":"data"})",
                            R"(,"securityContext":{"fsGroup":77})")));
    EXPECT_EQ(testing::mode_at(folder_.at("storage")), 0700u);
    EXPECT_EQ(testing::mode_at(path), 02777u);
    EXPECT_EQ(testing::look_at(path).st_gid, 77u);
    ASSERT_TRUE(volumes_->unmount(testing::kUid).ok());
    EXPECT_TRUE(is_there(path));
  });
}

TEST_F(NodeVolumes, MountLocalVolumesReadOnly) {
  if (!testing::is_root()) GTEST_SKIP() << "needs root";
  ASSERT_TRUE(make_folders(folder_.at("disk"), 0755).ok());
  objects_.objects["persistentvolumeclaims/shop/data"] =
      R"({"metadata":{"uid":"c1"},"spec":{"volumeName":"pv"},"status":{"phase":"Bound"}})";
  objects_.objects["persistentvolumes//pv"] =
      R"({"spec":{"claimRef":{"uid":"c1"},"mountOptions":["noexec"],"local":{"path":")" +
      folder_.at("disk") + R"("}}})";
  testing::with_own_mounts([this] {
    const PodPtr pod =
        make_pod(spec_of(R"("persistentVolumeClaim":{"claimName":"data","readOnly":true})"));
    const std::string path = mount(*pod);
    testing::put_file(path + "/file", "x");
    EXPECT_FALSE(is_there(folder_.at("disk/file")));
    ASSERT_TRUE(volumes_->unmount(testing::kUid).ok());
  });
}

// Sub paths, mounts over mounts and open files: all goes, and nothing that was bound is touched.
TEST_F(NodeVolumes, TakeAwayWhateverIsMountedBelowAPod) {
  if (!testing::is_root()) GTEST_SKIP() << "needs root";
  ASSERT_TRUE(make_folders(folder_.at("host/part"), 0755).ok());
  testing::put_file(folder_.at("host/part/precious"), "gold");
  testing::with_own_mounts([this] {
    const PodPtr pod = make_pod(
        R"({"volumes":[{"name":"e","emptyDir":{}},{"name":"h","hostPath":{"path":")" +
        folder_.at("host") +
        R"("}}],"containers":[{"name":"c","volumeMounts":[{"name":"h","mountPath":"/h","subPath":"part"},)"
        R"({"name":"e","mountPath":"/e"}]}]})");
    const auto mounted = volumes_->mount(*pod, {}, {});
    ASSERT_TRUE(mounted.ok());
    const auto mounts =
        volumes_->container_mounts(*pod, pod->spec()["containers"].item(0), *mounted, {});
    ASSERT_TRUE(mounts.ok());
    EXPECT_EQ(file_text(mounts->front().host_path + "/precious"), "gold");
    const std::string empty = mounted->at("e").path;
    ASSERT_TRUE(make_folders(empty + "/in", 0755).ok());
    ASSERT_TRUE(mount_tmpfs(empty + "/in", 0).ok());
    ASSERT_TRUE(make_folders(empty + "/in/in", 0755).ok());
    ASSERT_TRUE(mount_tmpfs(empty + "/in/in", 0).ok());
    ASSERT_TRUE(mount_tmpfs(empty + "/in", 0).ok());
    ASSERT_EQ(::symlink(folder_.at("host").c_str(), (empty + "/link").c_str()), 0);
    const FileDescriptor busy = std::move(*open_folder(empty + "/in"));
    ASSERT_TRUE(volumes_->unmount(testing::kUid).ok());
    EXPECT_FALSE(is_there(paths_.pod(testing::kUid)));
    EXPECT_EQ(file_text(folder_.at("host/part/precious")), "gold");
  });
}

}  // namespace
}  // namespace proa::kubelet
