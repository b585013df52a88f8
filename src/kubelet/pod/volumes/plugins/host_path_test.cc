#include "kubelet/pod/volumes/plugins/host_path.h"

#include <sys/socket.h>
#include <sys/un.h>

#include "json/parse.h"
#include "kubelet/host/mounts/folder.h"
#include "testkit/fake_clock.h"
#include "testkit/kubelet/volume_fixtures.h"

namespace proa::kubelet {
namespace {

class HostPath : public ::testing::Test {
 protected:
  // Empty when it is fine.
  std::string mount(const std::string& path, const std::string& type,
                    const std::string& persistent = "{}") {
    const PodPtr pod = testing::make_pod("{}");
    const PodFacts facts;
    const json::Document source =
        *json::parse(R"({"path":")" + path + R"(","type":")" + type + R"("})");
    const json::Document spec = *json::parse(persistent);
    testkit::FakeClock clock;
    testing::FakeObjects objects;
    TokenCache tokens(clock, {});
    const TrustBundles bundles;
    const Paths paths(folder_.path(), folder_.path());
    Mutex mutex;
    const std::string root;
    const VolumeTools tools{clock, objects, tokens, bundles, paths, root, mutex};
    const Result<MountedVolume> volume = mount_host_path(tools, {.pod = *pod,
                                                                 .facts = facts,
                                                                 .name = "v",
                                                                 .folder = "v",
                                                                 .source = source.root(),
                                                                 .persistent = spec.root(),
                                                                 .read_only = true});
    if (!volume.ok()) return volume.status().message();
    EXPECT_EQ(volume->path, path);
    EXPECT_TRUE(volume->read_only);
    EXPECT_FALSE(volume->selinux_relabel);
    return "";
  }
  testing::TemporaryFolder folder_;
};

TEST_F(HostPath, MustBeOfItsType) {
  const std::string dir = folder_.at("dir");
  const std::string file = folder_.at("file");
  const std::string socket = folder_.at("socket");
  const std::string none = folder_.at("none");
  ASSERT_TRUE(make_folders(dir, 0755).ok());
  testing::put_file(file, "x");
  ASSERT_EQ(::symlink(dir.c_str(), folder_.at("link").c_str()), 0);
  const FileDescriptor listener(::socket(AF_UNIX, SOCK_STREAM, 0));
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  socket.copy(static_cast<char*>(address.sun_path), sizeof(address.sun_path) - 1);
  ASSERT_EQ(::bind(listener.get(), reinterpret_cast<const sockaddr*>(&address), sizeof(address)),
            0);
  struct Case {
    std::string path;
    const char* type;
    const char* fault;  // behind "is not"
  };
  for (const Case& c : {
           Case{none, "", ""},
           Case{dir, "Directory", ""},
           Case{folder_.at("link"), "Directory", ""},
           Case{file, "Directory", "a directory"},
           Case{none, "Directory", "a directory"},
           Case{file, "DirectoryOrCreate", "a directory"},
           Case{file, "File", ""},
           Case{dir, "File", "a file"},
           Case{dir, "FileOrCreate", "a file"},
           Case{socket, "Socket", ""},
           Case{file, "Socket", "a socket file"},
           Case{"/dev/null", "CharDevice", ""},
           Case{file, "CharDevice", "a character device"},
           Case{"/dev/null", "BlockDevice", "a block device"},
       }) {
    SCOPED_TRACE(c.path + " " + c.type);
    const std::string fault(c.fault);
    EXPECT_EQ(mount(c.path, c.type),
              fault.empty() ? "" : "hostPath type check failed: " + c.path + " is not " + fault);
  }
  EXPECT_FALSE(testing::is_there(none));
  EXPECT_EQ(mount(dir, "Folder"), "Folder is an invalid volume type");
}

TEST_F(HostPath, IsMadeWhereItsTypeSaysSo) {
  const mode_t old = ::umask(022);
  EXPECT_EQ(mount(folder_.at("a/b"), "DirectoryOrCreate"), "");
  EXPECT_EQ(testing::mode_at(folder_.at("a/b")), 0755u);
  EXPECT_EQ(mount(folder_.at("a/file"), "FileOrCreate"), "");
  EXPECT_EQ(testing::mode_at(folder_.at("a/file")), 0644u);
  // The folder of a file is not.
  EXPECT_NE(mount(folder_.at("c/file"), "FileOrCreate"), "");
  ::umask(old);
}

TEST_F(HostPath, GoesNoStepBackAndHasNoOptions) {
  EXPECT_EQ(mount("/a/../b", ""), "invalid HostPath `/a/../b`: must not contain '..'");
  EXPECT_EQ(mount("/a/..b", ""), "");
  EXPECT_EQ(mount("/a", "", R"({"mountOptions":["ro"]})"),
            "mount options are not supported for this volume type");
}

}  // namespace
}  // namespace proa::kubelet
