#pragma once

#include <gtest/gtest.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <fstream>
#include <functional>
#include <iterator>
#include <map>
#include <string>

#include "kubelet/host/mounts/tree_removal.h"
#include "kubelet/model/object_source.h"
#include "kubelet/model/pod.h"

// Shared by volume tests.

namespace proa::kubelet::testing {

// A temporary folder, removed on destruction.
class TemporaryFolder {
 public:
  TemporaryFolder() {
    std::string name = "/tmp/proa-volumes-XXXXXX";
    path_ = ::mkdtemp(name.data());
    ::chmod(path_.c_str(), 0755);
  }
  ~TemporaryFolder() { EXPECT_TRUE(remove_tree(path_).ok()); }
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;

  const std::string& path() const { return path_; }
  std::string at(const std::string& name) const { return path_ + "/" + name; }

 private:
  std::string path_;
};

inline void put_file(const std::string& path, const std::string& text) {
  std::ofstream(path) << text;
}
// "<none>" if it cannot be opened.
inline std::string file_text(const std::string& path) {
  std::ifstream file(path);
  if (!file) return "<none>";
  return {std::istreambuf_iterator<char>(file), {}};
}
inline struct stat look_at(const std::string& path) {
  struct stat info {};
  EXPECT_EQ(::lstat(path.c_str(), &info), 0) << path;
  return info;
}
inline mode_t mode_at(const std::string& path) { return look_at(path).st_mode & 07777; }
inline bool is_there(const std::string& path) {
  struct stat info {};
  return ::lstat(path.c_str(), &info) == 0;
}
inline bool is_root() { return ::geteuid() == 0; }

// Runs `body` in a process with its own mount namespace. REQUIRES: root.
inline void with_own_mounts(const std::function<void()>& body) {
  const pid_t child = ::fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    EXPECT_EQ(::unshare(CLONE_NEWNS), 0);
    EXPECT_EQ(::mount(nullptr, "/", nullptr, MS_REC | MS_PRIVATE, nullptr), 0);
    if (!::testing::Test::HasFailure()) body();
    ::fflush(nullptr);
    ::_exit(::testing::Test::HasFailure() ? 1 : 0);
  }
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0) << "see what the process said above";
}

inline constexpr api::UidView kUid("uid-1");  // of make_pod()

inline PodPtr make_pod(const std::string& spec) {
  return *Pod::read(api::Object::make(R"({"metadata":{"name":"web","namespace":"shop",)"
                                      R"("uid":"uid-1","labels":{"app":"web"}},"spec":)" +
                                      spec + "}"),
                    Pod::Source::kApi);
}

// Objects by "resource/namespace/name".
class FakeObjects final : public ObjectSource {
 public:
  std::map<std::string, std::string> objects = {};
  bool unreachable = false;

  Result<api::ObjectPtr> get(std::string_view /*group*/, std::string_view resource,
                             std::string_view name_space, std::string_view name) override {
    if (unreachable) return Status(Reason::kServiceUnavailable, "the API is away");
    const auto found = objects.find(std::string(resource) + "/" + std::string(name_space) + "/" +
                                    std::string(name));
    if (found == objects.end()) return Status(Reason::kNotFound, "not there");
    return api::Object::make(found->second);
  }
};

}  // namespace proa::kubelet::testing
