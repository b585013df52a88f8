#include "testkit/kubelet/test_containerd.h"

#include <fmt/format.h>
#include <sys/mount.h>
#include <unistd.h>

#include <atomic>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "base/strings.h"
#include "kubelet/runtime/cri/cri_runtime.h"
#include "testkit/patience.h"

namespace proa::testkit {
namespace test_containerd {

using namespace std::chrono_literals;

// The number of instances in this process: their bridges differ.
std::atomic<int> made = 0;

std::string content(const std::string& path) {
  std::ostringstream text;
  text << std::ifstream(path, std::ios::binary).rdbuf();
  return text.str();
}

// Some test machines do not allow lowering the OOM score.
constexpr std::string_view kConfiguration = R"(version = 2
[plugins."io.containerd.internal.v1.opt"]
  path = "{0}/opt"
[plugins."io.containerd.grpc.v1.cri"]
  sandbox_image = "{1}"
  netns_mounts_under_state_dir = true
  restrict_oom_score_adj = true
  stream_server_address = "127.0.0.1"
  stream_server_port = "0"
[plugins."io.containerd.grpc.v1.cri".containerd]
  snapshotter = "overlayfs"
  default_runtime_name = "runc"
[plugins."io.containerd.grpc.v1.cri".containerd.runtimes.runc]
  runtime_type = "io.containerd.runc.v2"
[plugins."io.containerd.grpc.v1.cri".cni]
  bin_dir = "/usr/lib/cni"
  conf_dir = "{0}/cni"
)";

constexpr std::string_view kNetwork = R"({{
  "cniVersion": "0.4.0", "name": "{0}",
  "plugins": [{{
    "type": "bridge", "bridge": "{0}", "isGateway": true, "ipMasq": false,
    "ipam": {{"type": "host-local", "dataDir": "{1}/addresses",
              "ranges": [[{{"subnet": "{2}0/24"}}]], "routes": [{{"dst": "0.0.0.0/0"}}]}}
  }}]
}}
)";

// Both images are one layer with busybox, and differ in what they run. $1: socket, $2: busybox's
// name, $3: pause's.
constexpr const char* kMakeImages = R"(set -e
mkdir -p root/bin root/etc root/tmp
chmod 1777 root/tmp
cp /bin/busybox root/bin/busybox
for name in $(/bin/busybox --list); do
  [ "$name" = busybox ] || ln -s busybox "root/bin/$name"
done
echo 'root:x:0:0:root:/:/bin/sh' > root/etc/passwd
echo 'root:x:0:' > root/etc/group
tar -C root --owner=0 --group=0 --numeric-owner -cf layer.tar .
digest=$(sha256sum layer.tar | cut -d ' ' -f 1)
case $(uname -m) in aarch64) processor=arm64;; *) processor=amd64;; esac
make() {
  printf '{"architecture":"%s","os":"linux","config":{"Env":["PATH=/bin"],%s},"rootfs":{"type":"layers","diff_ids":["sha256:%s"]}}' \
    "$processor" "$2" "$digest" > config.json
  printf '[{"Config":"config.json","RepoTags":["%s"],"Layers":["layer.tar"]}]' "$1" > manifest.json
  tar -cf image.tar manifest.json config.json layer.tar
}
make "$2" '"Cmd":["sh"]'
ctr -a "$1" -n k8s.io images import image.tar
make "$3" '"Entrypoint":["/bin/sleep","2147483647"]'
ctr -a "$1" -n k8s.io images import image.tar
)";

// Whether the process is a shim of the containerd at that socket.
bool is_shim_of(const std::string& command_line, const std::string& socket) {
  return command_line.find("containerd-shim") != std::string::npos &&
         command_line.find(std::string("-address") + '\0' + socket + '\0') != std::string::npos;
}

}  // namespace test_containerd

std::string TestContainerd::missing() {
  if (::geteuid() != 0) return "needs root";
  for (const char* program : {"containerd", "ctr", "runc", "busybox", "ip", "tar"}) {
    if (!has_program(program)) return std::string(program) + " is not installed";
  }
  for (const char* plugin : {"bridge", "host-local", "loopback"}) {
    if (!std::filesystem::exists(std::string("/usr/lib/cni/") + plugin))
      return "CNI's plugins are not installed";
  }
  return {};
}

TestContainerd::TestContainerd() : socket_(folder_.file("containerd.sock")) {
  // Links have names of 15 bytes at most, and there may be other tests on the machine.
  const int number = static_cast<int>(::getpid()) * 4 + test_containerd::made++ % 4;
  bridge_ = fmt::format("pt{}", number);
  address_prefix_ = fmt::format("10.{}.{}.", 128 + (number >> 8) % 100, number & 255);
  runtime_ = kubelet::cri::connect_runtime(client_, socket_);
  write_configuration();
  start();
  import_images();
}

TestContainerd::~TestContainerd() {
  if (containerd_) remove_pods();
  stop();
  kill_shims();
  unmount_all();
  remove_shared_folders();
  Process({"ip", "link", "delete", bridge_}).wait();
}

void TestContainerd::write_configuration() const {
  std::filesystem::create_directories(folder_.file("cni"));
  folder_.write("config.toml",
                fmt::format(test_containerd::kConfiguration, folder_.path(), kPause));
  folder_.write("cni/10-test.conflist",
                fmt::format(test_containerd::kNetwork, bridge_, folder_.path(), address_prefix_));
}

void TestContainerd::start() {
  containerd_.emplace(
      std::vector<std::string>{"containerd", "--config", folder_.file("config.toml"), "--root",
                               folder_.file("root"), "--state", folder_.file("state"), "--address",
                               socket_},
      folder_.file("containerd.log"));
  if (!wait_until_ready()) std::fprintf(stderr, "%s\n", log().c_str());
}

void TestContainerd::stop() {
  if (!containerd_) return;
  containerd_->signal(SIGTERM);
  containerd_->wait();
  containerd_.reset();
}

std::string TestContainerd::log() const {
  return test_containerd::content(folder_.file("containerd.log"));
}

// A separate process: there is no event to wait for.
bool TestContainerd::wait_until_ready() {
  using namespace std::chrono_literals;
  return holds_within(60s, [&] {
    const auto ready = runtime_->readiness(Until::after(clock_, 10s));
    return ready.ok() && ready->runtime_ready && ready->network_ready;
  });
}

void TestContainerd::import_images() const {
  using namespace std::chrono_literals;
  const std::string work = folder_.file("images");
  std::filesystem::create_directories(work);
  const std::string log = folder_.file("images.log");
  Process make({"sh", "-c", "cd \"$0\"; " + std::string(test_containerd::kMakeImages), work,
                socket_, kBusybox, kPause},
               log);
  const int code = make.wait();
  if (code != 0) std::fprintf(stderr, "%s\n", test_containerd::content(log).c_str());
  std::filesystem::remove_all(work);
  // The CRI plugin sees images slightly later.
  for (const char* reference : {kBusybox, kPause}) {
    holds_within(20s, [&] {
      const auto found = runtime_->image(reference, Until::after(clock_, 10s));
      return found.ok() && found->has_value();
    });
  }
}

void TestContainerd::remove_pods() {
  const Until until = Until::after(clock_, std::chrono::seconds(60));
  const auto found = runtime_->sandboxes({}, until);
  if (!found.ok()) return;
  for (const auto& sandbox : *found) {
    for (const auto& done :
         {runtime_->stop_sandbox(sandbox.id, until), runtime_->remove_sandbox(sandbox.id, until)}) {
      if (!done.ok()) std::fprintf(stderr, "%s\n", done.status().message().c_str());
    }
  }
}

// Shims that a test left behind, for example by killing containerd.
void TestContainerd::kill_shims() const {
  std::error_code ignored;
  for (const auto& entry : std::filesystem::directory_iterator("/proc", ignored)) {
    const auto pid = parse_int(entry.path().filename().string());
    if (!pid) continue;
    if (test_containerd::is_shim_of(test_containerd::content(entry.path().string() + "/cmdline"),
                                    socket_))
      ::kill(static_cast<pid_t>(*pid), SIGKILL);
  }
}

void TestContainerd::unmount_all() const {
  std::ifstream mounts("/proc/self/mounts");
  std::vector<std::string> below;
  for (std::string line; std::getline(mounts, line);) {
    const auto words = split(line, ' ');
    if (words.size() > 1 && words[1].starts_with(folder_.path() + "/"))
      below.emplace_back(words[1]);
  }
  // Innermost mounts last.
  for (auto mount = below.rbegin(); mount != below.rend(); ++mount)
    ::umount2(mount->c_str(), MNT_DETACH);
}

// Folders shared by all sandboxes and networks; others may still use them.
void TestContainerd::remove_shared_folders() const {
  std::error_code ignored;
  ::rmdir("/sys/fs/cgroup/k8s.io");
  for (const auto& entry : std::filesystem::directory_iterator("/sys/fs/cgroup", ignored))
    ::rmdir((entry.path().string() + "/k8s.io").c_str());
  for (const char* path : {"/var/lib/cni/results", "/var/lib/cni"}) ::rmdir(path);
}

}  // namespace proa::testkit
