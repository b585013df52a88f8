#include "base/watch/file_follower.h"

#include <poll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>

namespace proa {
namespace file_follower {
std::string folder_of(const std::string& path) {
  const std::string folder = std::filesystem::path(path).parent_path().string();
  return folder.empty() ? "." : folder;
}

int milliseconds(Duration wait) {
  const auto count = std::chrono::ceil<std::chrono::milliseconds>(wait).count();
  return static_cast<int>(std::clamp<int64_t>(count, 0, 1'000'000'000));
}

}  // namespace file_follower

Result<std::unique_ptr<FileFollower>> FileFollower::start(const std::string& path, Look look,
                                                          Report report) {
  FileDescriptor wake(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK));
  if (!wake.valid()) return errno_status("creating an eventfd", errno);
  return std::unique_ptr<FileFollower>(
      new FileFollower(std::move(wake), FolderChanges::open(file_follower::folder_of(path)),
                       std::move(look), std::move(report)));
}

FileFollower::FileFollower(FileDescriptor wake, Result<FolderChanges> changes, Look look,
                           Report report)
    : wake_(std::move(wake)), look_(std::move(look)), report_(std::move(report)) {
  if (changes.ok()) {
    changes_ = std::move(*changes);
  } else {
    report_(changes.status());
  }
  watch();
  thread_ = std::jthread([this](const std::stop_token& stop) { run(stop); });
}

FileFollower::~FileFollower() {
  thread_.request_stop();
  const uint64_t one = 1;
  static_cast<void>(::write(wake_.get(), &one, sizeof one) == sizeof one);
  thread_.join();
}

void FileFollower::watch() {
  if (!changes_) return;
  // Whether it exists shows at the look.
  if (const Result<bool> watched = changes_->watch(); !watched) report_(watched.status());
}

void FileFollower::run(const std::stop_token& stop) {
  while (!stop.stop_requested()) {
    // Before the look, so that no change is missed.
    watch();
    const Duration wait = look_(stop);
    pollfd waited[] = {{wake_.get(), POLLIN, 0},
                       {changes_ ? changes_->descriptor() : -1, POLLIN, 0}};
    ::poll(waited, 2, file_follower::milliseconds(wait));
    if (changes_) changes_->changed();
  }
}

}  // namespace proa
