#include "kubelet/runtime/logs/folder_watch.h"

#include <fmt/format.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/inotify.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>

namespace proa::kubelet {
namespace folder_watch {

// -1: forever.
int milliseconds_until(Steady deadline, const Clock& clock) {
  if (deadline == Steady::max()) return -1;
  const Duration left = deadline - clock.steady();
  if (left <= Duration::zero()) return 0;
  // One more, so that it has come when poll() returns; an hour at most, so that it fits.
  const auto rounded = std::chrono::duration_cast<std::chrono::milliseconds>(left).count() + 1;
  return static_cast<int>(std::min<int64_t>(rounded, 3600 * 1000));
}

}  // namespace folder_watch

Result<FolderWatch> FolderWatch::open(const FileDescriptor& folder, Clock& clock) {
  FileDescriptor events(::inotify_init1(IN_CLOEXEC | IN_NONBLOCK));
  if (!events.valid()) return errno_status("watching logs", errno);
  FileDescriptor wakes(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK));
  if (!wakes.valid()) return errno_status("watching logs", errno);
  // By its descriptor: a path could lead elsewhere by now.
  const std::string path = fmt::format("/proc/self/fd/{}", folder.get());
  constexpr uint32_t kEvents =
      IN_MODIFY | IN_CLOSE_WRITE | IN_CREATE | IN_DELETE | IN_MOVED_FROM | IN_MOVED_TO;
  if (::inotify_add_watch(events.get(), path.c_str(), kEvents) < 0) {
    return errno_status("watching logs", errno);
  }
  return FolderWatch(std::move(events), std::move(wakes), clock);
}

void FolderWatch::wake() const {
  // Full means that it is awake already.
  static_cast<void>(::eventfd_write(wakes_.get(), 1));
}

Result<FolderWatch::News> FolderWatch::wait(std::string_view file, const Until& until) {
  const std::stop_callback stopped(until.stop, [this] { wake(); });
  while (true) {
    std::array<pollfd, 2> waiting{pollfd{events_.get(), POLLIN, 0},
                                  pollfd{wakes_.get(), POLLIN, 0}};
    const int timeout = folder_watch::milliseconds_until(until.deadline, *clock_);
    const int ready = ::poll(waiting.data(), waiting.size(), timeout);
    if (ready < 0 && errno != EINTR) return errno_status("watching logs", errno);
    if (waiting[1].revents != 0) {
      eventfd_t count = 0;
      static_cast<void>(::eventfd_read(wakes_.get(), &count));
      return News{};
    }
    if (waiting[0].revents != 0) {
      const News news = TRY(read(file));
      if (news.changed) return news;
    }
    if (until.stop.stop_requested() || clock_->steady() >= until.deadline) return News{};
  }
}

Result<FolderWatch::News> FolderWatch::read(std::string_view file) const {
  News news;
  alignas(inotify_event) std::array<char, 4096> buffer{};
  while (true) {
    const ssize_t got = ::read(events_.get(), buffer.data(), buffer.size());
    if (got < 0 && errno == EINTR) continue;
    if (got < 0 && errno == EAGAIN) return news;
    if (got <= 0) return errno_status("watching logs", errno);
    for (size_t at = 0; at < static_cast<size_t>(got);) {
      inotify_event event{};
      std::memcpy(&event, buffer.data() + at, sizeof(event));
      const char* name = buffer.data() + at + sizeof(event);
      at += sizeof(event) + event.len;
      const bool lost = (event.mask & (IN_Q_OVERFLOW | IN_IGNORED)) != 0;
      const std::string_view text(name, event.len == 0 ? 0 : ::strnlen(name, event.len));
      if (!lost && text != file) continue;
      news.changed = true;
      if (lost || (event.mask & (IN_CLOSE_WRITE | IN_DELETE)) != 0) news.closed = true;
    }
  }
}

}  // namespace proa::kubelet
