#include "profile/heap_profile.h"

#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cmath>
#include <cstring>

#include "base/strings.h"

// Defined by jemalloc if it is linked.
extern "C" int mallctl(const char* name, void* old_value, size_t* old_size, void* new_value,
                       size_t new_size) __attribute__((weak));

namespace proa::profile {
namespace heap_profile {

constexpr std::string_view kHead = "heap_v2/";
// A line per frame of each stack; far more than programs have.
constexpr size_t kMostBytes = 64 * 1024 * 1024;
constexpr size_t kMostFrames = 256;

template <typename T>
bool read_number(std::string_view& text, T& number, int base = 10) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number, base);
  if (error != std::errc()) return false;
  text.remove_prefix(static_cast<size_t>(end - text.data()));
  return true;
}

bool skip(std::string_view& text, std::string_view word) {
  if (!text.starts_with(word)) return false;
  text.remove_prefix(word.size());
  return true;
}

// "@ 0x5581 0x5582": return addresses, which belong to the calls before them.
std::vector<uint64_t> read_stack(std::string_view line) {
  std::vector<uint64_t> stack;
  uint64_t address = 0;
  while (skip(line, " 0x") && read_number(line, address, 16) && stack.size() < kMostFrames)
    stack.push_back(address - 1);
  return stack;
}

// "  t*: 13: 6688 [0: 0]": objects and bytes that were sampled and live, of all threads.
bool read_counts(std::string_view line, int64_t& objects, int64_t& bytes) {
  return skip(line, "  t*: ") && read_number(line, objects) && skip(line, ": ") &&
         read_number(line, bytes) && objects > 0 && bytes > 0;
}

// An allocation of n bytes is sampled with a probability of 1 - exp(-n / rate). The sum over one
// stack is scaled by that of its mean, for which jemalloc has corrected the numbers.
double scale_of(int64_t objects, int64_t bytes, double rate) {
  const double mean = static_cast<double>(bytes) / static_cast<double>(objects);
  return 1 / (1 - std::exp(-mean / rate));
}

Status not_available(std::string why) {
  return {Reason::kServiceUnavailable, "heap profiling is not available: " + std::move(why)};
}

Status failed(const char* what) {
  return {Reason::kInternalError, std::string(what) + ": " + std::strerror(errno)};
}

// jemalloc writes to a file only: one in memory.
Result<std::string> dump_through(int file) {
  const std::string path = "/proc/self/fd/" + std::to_string(file);
  const char* name = path.c_str();
  if (mallctl("prof.dump", nullptr, nullptr, &name, sizeof name) != 0)
    return Status(Reason::kInternalError, "jemalloc did not write a heap profile");
  struct stat facts = {};
  if (::fstat(file, &facts) != 0) return failed("heap profile");
  std::string text(std::min(static_cast<size_t>(facts.st_size), kMostBytes), '\0');
  size_t got = 0;
  while (got < text.size()) {
    const ssize_t count =
        ::pread(file, text.data() + got, text.size() - got, static_cast<off_t>(got));
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return failed("heap profile");
    got += static_cast<size_t>(count);
  }
  return text;
}

}  // namespace heap_profile

Result<std::string> dump_heap() {
  bool on = false;
  size_t size = sizeof on;
  if (mallctl == nullptr) return heap_profile::not_available("the program has another allocator");
  if (mallctl("opt.prof", &on, &size, nullptr, 0) != 0 || !on)
    return heap_profile::not_available("jemalloc runs without prof:true");
  const int file = ::memfd_create("heap", MFD_CLOEXEC);
  if (file < 0) return heap_profile::failed("memfd_create");
  Result<std::string> text = heap_profile::dump_through(file);
  ::close(file);
  return text;
}

Result<Profile> read_heap_dump(std::string_view dump, Time now) {
  using namespace heap_profile;  // NOLINT: of this file only
  const std::vector<std::string_view> lines = split(dump, '\n');
  std::string_view head = lines.empty() ? std::string_view() : lines[0];
  int64_t rate = 0;
  if (!skip(head, kHead) || !read_number(head, rate) || rate <= 0)
    return Status(Reason::kInvalid, "not a heap profile of jemalloc");
  Profile profile{.types = {{"inuse_objects", "count"}, {"inuse_space", "bytes"}},
                  .period_type = {"space", "bytes"},
                  .period = rate,
                  .begin = now};
  for (size_t i = 1; i + 1 < lines.size(); ++i) {
    if (lines[i] == "MAPPED_LIBRARIES:") break;
    int64_t objects = 0;
    int64_t bytes = 0;
    if (!lines[i].starts_with('@') || !read_counts(lines[i + 1], objects, bytes)) continue;
    const double scale = scale_of(objects, bytes, static_cast<double>(rate));
    const auto scaled = [scale](int64_t count) {
      // A damaged text may state any number.
      return static_cast<int64_t>(std::min(std::round(static_cast<double>(count) * scale), 9e18));
    };
    profile.samples.push_back(
        {.stack = read_stack(lines[i].substr(1)), .values = {scaled(objects), scaled(bytes)}});
  }
  return profile;
}

Result<Profile> collect_heap_profile(const Clock& clock) {
  const std::string dump = TRY(dump_heap());
  Profile profile = TRY(read_heap_dump(dump, clock.now()));
  const FunctionNames code(loaded_code());
  const size_t allocator = code.mapping_of(reinterpret_cast<uint64_t>(&mallctl));
  // Linked into the program, it cannot be told from the rest.
  if (allocator == 0) return profile;
  for (Sample& sample : profile.samples) {
    const auto callers = std::ranges::find_if(
        sample.stack, [&](uint64_t address) { return code.mapping_of(address) != allocator; });
    sample.stack.erase(sample.stack.begin(), callers);
  }
  return profile;
}

}  // namespace proa::profile
