#include "lab/machine/init.h"

#include <fmt/format.h>
#include <poll.h>
#include <signal.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <optional>

#include "base/clock.h"
#include "lab/machine/service_state.h"

namespace proa::lab {
namespace init {

constexpr Duration kRestartPause = std::chrono::seconds(1);
// Pods keep running when a node's process stops; what is left is killed with the machine.
constexpr Duration kStopPatience = std::chrono::seconds(10);
constexpr int kSignalBase = 128;  // see ServiceState::exit_code

void say(const std::string& text) {
  const std::string line = std::string(kInitPrefix) + text + "\n";
  // Nobody is left who could be told about a failure.
  if (write(STDOUT_FILENO, line.data(), line.size()) < 0) return;
}

FileDescriptor open_notify(const std::string& path) {
  FileDescriptor socket(::socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  const int on = 1;
  setsockopt(socket.get(), SOL_SOCKET, SO_PASSCRED, &on, sizeof on);
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  std::memcpy(address.sun_path, path.c_str(), path.size() + 1);
  unlink(path.c_str());
  if (bind(socket.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0) {
    say(fmt::format("{}: {}", path, std::strerror(errno)));
    return {};
  }
  return socket;
}

struct Notification {
  std::string text = {};
  pid_t sender = 0;
};

// Nullopt if there is none.
std::optional<Notification> receive(int socket) {
  char text[4096];
  alignas(cmsghdr) char control[CMSG_SPACE(sizeof(ucred))];
  iovec part{.iov_base = text, .iov_len = sizeof text};
  msghdr message{};
  message.msg_iov = &part;
  message.msg_iovlen = 1;
  message.msg_control = control;
  message.msg_controllen = sizeof control;
  const ssize_t count = recvmsg(socket, &message, MSG_CMSG_CLOEXEC);
  if (count <= 0) return std::nullopt;
  Notification received{.text = std::string(text, static_cast<size_t>(count))};
  const cmsghdr* header = CMSG_FIRSTHDR(&message);
  if (header != nullptr && header->cmsg_type == SCM_CREDENTIALS) {
    ucred sender{};
    std::memcpy(&sender, CMSG_DATA(header), sizeof sender);
    received.sender = sender.pid;
  }
  return received;
}

class Init {
 public:
  Init(const Service& service, FileDescriptor report)
      : service_(service), report_(std::move(report)) {
    sigemptyset(&signals_);
    for (const int number : {SIGCHLD, SIGTERM, SIGINT, kStartService}) sigaddset(&signals_, number);
    sigprocmask(SIG_BLOCK, &signals_, &before_);
    events_ = FileDescriptor(signalfd(-1, &signals_, SFD_CLOEXEC | SFD_NONBLOCK));
    if (reports()) notify_ = open_notify(service_.notify);
  }

  void run() {
    show(ServicePhase::kStarting);
    if (has_service()) start();
    if (!reports()) {
      show(ServicePhase::kRunning);
      report("ready");
    }
    while (!is_over()) {
      pollfd waits[] = {{events_.get(), POLLIN, 0}, {notify_.get(), POLLIN, 0}};
      poll(waits, 2, milliseconds_left());
      read_signals();
      read_notifications();
      reap();
      if (due_ && clock_.steady() >= *due_) act_on_time();
    }
  }

 private:
  bool has_service() const { return !service_.words.empty() || service_.function; }
  bool reports() const { return !service_.notify.empty(); }
  bool is_over() const { return stopping_ && pid_ <= 0; }

  int milliseconds_left() const {
    if (!due_) return -1;
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(*due_ - clock_.steady());
    return std::max(0, static_cast<int>(left.count()));
  }

  void start() {
    due_.reset();
    pid_ = fork();
    if (pid_ == 0) become_service();
    if (pid_ < 0) {
      say(fmt::format("starting the service: {}", std::strerror(errno)));
      due_ = clock_.steady() + kRestartPause;
    }
  }

  [[noreturn]] void become_service() {
    setsid();
    sigprocmask(SIG_SETMASK, &before_, nullptr);
    report_ = {};
    if (service_.function) {
      service_.function();
      _exit(0);
    }
    std::vector<std::string> environment = service_.environment;
    if (reports()) environment.push_back("NOTIFY_SOCKET=" + service_.notify);
    std::vector<char*> words;
    for (const std::string& word : service_.words) words.push_back(const_cast<char*>(word.c_str()));
    words.push_back(nullptr);
    std::vector<char*> variables;
    for (std::string& each : environment) variables.push_back(each.data());
    variables.push_back(nullptr);
    execve(words[0], words.data(), variables.data());
    say(fmt::format("starting {}: {}", service_.words[0], std::strerror(errno)));
    _exit(127);
  }

  void read_signals() {
    signalfd_siginfo signal{};
    while (read(events_.get(), &signal, sizeof signal) == static_cast<ssize_t>(sizeof signal)) {
      if (signal.ssi_signo == SIGCHLD || stopping_) continue;
      if (signal.ssi_signo == kStartService) {
        if (state_.phase == ServicePhase::kStopped) start_on_request();
        continue;
      }
      stopping_ = true;
      due_.reset();
      if (pid_ <= 0) continue;
      kill(pid_, SIGTERM);
      due_ = clock_.steady() + kStopPatience;
    }
  }

  // Only what the service says itself counts: a containerd that it starts inherits the variable,
  // and reports, too.
  void read_notifications() {
    if (!notify_.valid()) return;
    while (const auto said = receive(notify_.get())) {
      if (said->sender != pid_ || said->text.find("READY=1") == std::string::npos) continue;
      report("ready");
      show(ServicePhase::kRunning);
    }
  }

  void reap() {
    int status = 0;
    pid_t ended = 0;
    while ((ended = waitpid(-1, &status, WNOHANG)) > 0) {
      if (ended != pid_) continue;
      pid_ = -1;
      if (stopping_) continue;
      const std::string text =
          WIFSIGNALED(status) ? fmt::format("its service was ended by signal {}", WTERMSIG(status))
                              : fmt::format("its service ended with code {}", WEXITSTATUS(status));
      // With code 0 as an administrator asked it to, from inside of the machine.
      const bool on_purpose = !service_.function && WIFEXITED(status) && WEXITSTATUS(status) == 0;
      if (!on_purpose) {
        state_.exit_code =
            WIFSIGNALED(status) ? kSignalBase + WTERMSIG(status) : WEXITSTATUS(status);
        due_ = clock_.steady() + kRestartPause;
      }
      show(on_purpose ? ServicePhase::kStopped : ServicePhase::kFailing);
      say(text);
      report(text);
    }
  }

  void start_on_request() {
    state_ = {};
    show(ServicePhase::kStarting);
    start();
  }

  void restart() {
    ++state_.restarts;
    // Until it says that it is ready, the last failure is all that is known.
    show(reports() ? ServicePhase::kFailing : ServicePhase::kRunning);
    start();
  }

  void act_on_time() {
    due_.reset();
    if (!stopping_) {
      restart();
    } else if (pid_ > 0) {
      kill(pid_, SIGKILL);
    }
  }

  // In this order there is always a whole first line, for those that read it meanwhile.
  void show(ServicePhase phase) {
    state_.phase = phase;
    const int file = service_.state.get();
    if (file < 0) return;
    const std::string text = print_service_state(state_);
    if (pwrite(file, text.data(), text.size(), 0) < 0 ||
        ftruncate(file, static_cast<off_t>(text.size())) != 0) {
      say(fmt::format("noting its state: {}", std::strerror(errno)));
    }
  }

  // The first call counts.
  void report(std::string_view text) {
    if (!report_.valid()) return;
    if (write(report_.get(), text.data(), text.size()) < 0) say("nobody waits for this start");
    report_ = {};
  }

  const Service& service_;
  FileDescriptor report_;
  const SystemClock clock_;
  sigset_t signals_{};
  sigset_t before_{};
  FileDescriptor events_;
  FileDescriptor notify_;
  pid_t pid_ = -1;
  bool stopping_ = false;
  ServiceState state_;
  std::optional<Steady> due_;  // the next start, or the end of patience
};

}  // namespace init

void run_init(const Service& service, FileDescriptor report) {
  init::Init(service, std::move(report)).run();
}

}  // namespace proa::lab
