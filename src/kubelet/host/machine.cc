#include "kubelet/host/machine.h"

#include <sys/statvfs.h>

#include <cerrno>
#include <initializer_list>
#include <optional>

#include "api/quantity.h"
#include "base/strings.h"

namespace proa::kubelet {
namespace machine {

// Files of the kernel are short; a longer one is none of them.
constexpr size_t kLimit = 256 * 1024;

// The first of them that has something in it.
std::string first_text(Files& files, const std::string& root,
                       std::initializer_list<std::string_view> paths) {
  for (const std::string_view path : paths) {
    const Result<std::string> text = files.read_file(root + std::string(path), kLimit);
    if (!text) continue;
    std::string_view words = *text;
    // Texts of the device tree end with a zero.
    while (words.ends_with('\0')) words.remove_suffix(1);
    words = trim(words);
    if (!words.empty()) return std::string(words);
  }
  return {};
}

// "0-3,8": how many that are.
int64_t count_ranges(std::string_view text) {
  int64_t count = 0;
  for (const std::string_view range : split(trim(text), ',')) {
    const std::optional<Halves> ends = split_once(range, '-');
    const std::optional<int64_t> first = parse_int(ends ? ends->before : range);
    const std::optional<int64_t> last = parse_int(ends ? ends->after : range);
    if (first && last && *last >= *first) count += *last - *first + 1;
  }
  return count;
}

// Bytes; nullopt if there is no such line.
std::optional<int64_t> meminfo(std::string_view text, std::string_view name) {
  for (const std::string_view line : split(text, '\n')) {
    const std::optional<Halves> halves = split_once(line, ':');
    if (!halves || halves->before != name) continue;
    std::string_view amount = trim(halves->after);
    if (!amount.ends_with(" kB")) return parse_int(amount);
    amount.remove_suffix(3);
    const std::optional<int64_t> kilobytes = parse_int(trim(amount));
    return kilobytes ? std::optional(*kilobytes * 1024) : std::nullopt;
  }
  return std::nullopt;
}

// PRETTY_NAME of os-release, which is written as a shell would read it.
std::string pretty_name(std::string_view text) {
  for (const std::string_view line : split(text, '\n')) {
    const std::optional<Halves> halves = split_once(trim(line), '=');
    if (!halves || halves->before != "PRETTY_NAME") continue;
    std::string_view value = trim(halves->after);
    const bool quoted = value.size() >= 2 && value.front() == value.back() &&
                        (value.front() == '"' || value.front() == '\'');
    if (quoted) value = value.substr(1, value.size() - 2);
    return std::string(value);
  }
  return "Linux";
}

std::map<std::string, int64_t> read_huge_pages(Files& files, const std::string& root) {
  static constexpr std::string_view kPrefix = "hugepages-";
  const std::string folder = root + "/sys/kernel/mm/hugepages";
  std::map<std::string, int64_t> found;
  const Result<std::vector<std::string>> names = files.list(folder);
  if (!names) return found;
  for (const std::string& name : *names) {
    if (!name.starts_with(kPrefix) || !name.ends_with("kB")) continue;
    const std::optional<int64_t> kilobytes =
        parse_int(std::string_view(name).substr(kPrefix.size(), name.size() - kPrefix.size() - 2));
    if (!kilobytes || *kilobytes <= 0) continue;
    const Result<std::string> count =
        files.read_file(folder + "/" + name + "/nr_hugepages", kLimit);
    const std::optional<int64_t> pages = count ? parse_int(trim(*count)) : std::nullopt;
    if (!pages) continue;
    const api::Quantity size(*kilobytes * 1024, api::QuantityFormat::kBinarySi);
    found[std::string(kPrefix) + size.str()] = *pages * *kilobytes * 1024;
  }
  return found;
}

}  // namespace machine

Machine read_machine(Files& files, const std::string& root) {
  Machine found;
  found.cpus =
      machine::count_ranges(machine::first_text(files, root, {"/sys/devices/system/cpu/online"}));
  const std::string memory = machine::first_text(files, root, {"/proc/meminfo"});
  found.memory_bytes = machine::meminfo(memory, "MemTotal").value_or(0);
  found.swap_bytes = machine::meminfo(memory, "SwapTotal").value_or(0);
  found.huge_pages = machine::read_huge_pages(files, root);
  found.machine_id =
      machine::first_text(files, root, {"/etc/machine-id", "/var/lib/dbus/machine-id"});
  found.system_uuid =
      machine::first_text(files, root,
                          {"/sys/class/dmi/id/product_uuid", "/proc/device-tree/system-id",
                           "/proc/device-tree/vm,uuid", "/etc/machine-id"});
  found.boot_id = machine::first_text(files, root, {"/proc/sys/kernel/random/boot_id"});
  found.kernel = machine::first_text(files, root, {"/proc/sys/kernel/osrelease"});
  found.os_image = machine::pretty_name(
      machine::first_text(files, root, {"/etc/os-release", "/usr/lib/os-release"}));
  return found;
}

std::string_view architecture() {
#if defined(__x86_64__)
  return "amd64";
#elif defined(__aarch64__)
  return "arm64";
#else
#error "no name for this architecture"
#endif
}

Result<int64_t> available_memory(Files& files, const std::string& root) {
  const std::string text = TRY(files.read_file(root + "/proc/meminfo", machine::kLimit));
  const std::optional<int64_t> free = machine::meminfo(text, "MemFree");
  const std::optional<int64_t> idle = machine::meminfo(text, "Inactive(file)");
  if (!free || !idle) return Status(Reason::kInternalError, "/proc/meminfo lacks MemFree");
  return *free + *idle;
}

Result<DiskSpace> disk_space(const std::string& path) {
  struct statvfs info {};
  if (::statvfs(path.c_str(), &info) != 0) return errno_status("statvfs " + path, errno);
  const auto bytes = [&](fsblkcnt_t blocks) {
    return static_cast<int64_t>(blocks) * static_cast<int64_t>(info.f_frsize);
  };
  return DiskSpace{.capacity = bytes(info.f_blocks),
                   .available = bytes(info.f_bavail),
                   .inodes = static_cast<int64_t>(info.f_files),
                   .inodes_free = static_cast<int64_t>(info.f_ffree)};
}

}  // namespace proa::kubelet
