// What the store does in a second, beside what the disk does without it. Plain tables; the ratios
// count.
#include <fcntl.h>
#include <fmt/core.h>
#include <rocksdb/env.h>
#include <rocksdb/file_system.h>
#include <unistd.h>

#include <atomic>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <thread>

#include "base/random.h"
#include "store/rocks/rocks_store.h"
#include "testkit/encryption/test_transformer.h"

namespace proa::store {
namespace store_bench {

using std::chrono::duration;
using std::chrono::steady_clock;

constexpr size_t kValueBytes = 1024;

struct Sizes {
  double seconds = 4;
  std::vector<size_t> objects = {100'000, 1'000'000};
  int fan_out_commits = 2000;
};

double seconds_since(steady_clock::time_point start) {
  return duration<double>(steady_clock::now() - start).count();
}

// One directory of ours, gone at the end.
class Place {
 public:
  Place() {
    const char* base = std::getenv("TMPDIR");
    path_ = std::string(base != nullptr ? base : ".") + "/store-bench-XXXXXX";
    if (::mkdtemp(path_.data()) == nullptr) std::abort();
  }
  ~Place() { std::filesystem::remove_all(path_); }
  std::string fresh(const std::string& name) const {
    std::filesystem::remove_all(path_ + "/" + name);
    return path_ + "/" + name;
  }

 private:
  std::string path_;
};

// A disk whose syncs take a millisecond, as those of common SSDs without a protected cache do.
constexpr std::chrono::milliseconds kSlowSync(1);

class SlowFile final : public rocksdb::FSWritableFileOwnerWrapper {
 public:
  using FSWritableFileOwnerWrapper::FSWritableFileOwnerWrapper;
  rocksdb::IOStatus Sync(const rocksdb::IOOptions& options,
                         rocksdb::IODebugContext* debug) override {
    const auto until = steady_clock::now() + kSlowSync;
    rocksdb::IOStatus status = target()->Sync(options, debug);
    std::this_thread::sleep_until(until);
    return status;
  }
};

class SlowDisk final : public rocksdb::FileSystemWrapper {
 public:
  using FileSystemWrapper::FileSystemWrapper;
  const char* Name() const override { return "SlowDisk"; }
  rocksdb::IOStatus NewWritableFile(const std::string& name, const rocksdb::FileOptions& options,
                                    std::unique_ptr<rocksdb::FSWritableFile>* file,
                                    rocksdb::IODebugContext* debug) override {
    rocksdb::IOStatus status = FileSystemWrapper::NewWritableFile(name, options, file, debug);
    if (status.ok()) *file = std::make_unique<SlowFile>(std::move(*file));
    return status;
  }
};

std::unique_ptr<Store> open(const std::string& path, Clock& clock,
                            const RocksOptions& options = {}) {
  SystemRandom random;
  auto store = open_rocks_store(path, clock, random, options);
  if (!store.ok()) {
    fmt::print(stderr, "{}\n", store.status().message());
    std::exit(1);
  }
  return std::move(store).value();
}

Bytes make_value() { return Bytes(std::string(kValueBytes, 'v')); }

Key pod_key(size_t number) {
  return fmt::format("/registry/pods/namespace-{}/pod-{}", number % 100, number);
}

// Appends of what a commit of 1 kB takes in the log, into a file whose blocks are all there and
// written.
double bare_appends(const std::string& path, double seconds) {
  constexpr size_t kRecord = kValueBytes + 96;
  constexpr size_t kFile = 64u << 20;
  const int file = ::open(path.c_str(), O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
  const std::string zeros(1u << 20, '\0');
  for (size_t at = 0; at < kFile; at += zeros.size()) {
    if (::write(file, zeros.data(), zeros.size()) < 0) std::abort();
  }
  ::fsync(file);
  const std::string record(kRecord, 'r');
  const auto start = steady_clock::now();
  size_t count = 0;
  for (off_t at = 0; seconds_since(start) < seconds; ++count) {
    if (at + static_cast<off_t>(kRecord) > static_cast<off_t>(kFile)) at = 0;
    if (::pwrite(file, record.data(), kRecord, at) < 0) std::abort();
    ::fdatasync(file);
    at += static_cast<off_t>(kRecord);
  }
  const double rate = static_cast<double>(count) / seconds_since(start);
  ::close(file);
  return rate;
}

// Each writer has one commit in flight and makes the next when it is told of the last. A single
// writer waits for its commits; many are told by callback, as requests of an API server are.
double commits(const std::string& path, size_t writers, double seconds,
               const RocksOptions& options = {}) {
  SystemClock clock;
  const auto store = open(path, clock, options);
  const Bytes value = make_value();
  constexpr size_t kKeysPerWriter = 64;
  const auto txn = [&](size_t writer, size_t count) {
    Txn one;
    one.operations.push_back(
        Put{pod_key(writer * kKeysPerWriter + count % kKeysPerWriter), value, {}});
    return one;
  };
  const auto start = steady_clock::now();
  std::atomic<size_t> done = 0;
  if (writers == 1) {
    while (seconds_since(start) < seconds) {
      if (!store->commit(txn(0, done), Durability::kSynced).ok()) std::abort();
      ++done;
    }
    return static_cast<double>(done) / seconds_since(start);
  }
  std::atomic<size_t> active = writers;
  std::function<void(size_t, size_t)> next = [&](size_t writer, size_t count) {
    store->commit(txn(writer, count), Durability::kSynced,
                  [&, writer, count](Result<Committed> result) {
                    if (!result.ok()) std::abort();
                    ++done;
                    if (seconds_since(start) < seconds) {
                      next(writer, count + 1);
                    } else if (--active == 0) {
                      active.notify_all();
                    }
                  });
  };
  for (size_t writer = 0; writer < writers; ++writer) next(writer, 0);
  for (size_t left = active; left != 0; left = active) active.wait(left);
  return static_cast<double>(done) / seconds_since(start);
}

const char* verdict(bool reached) { return reached ? "reached" : "MISSED"; }

void bench_commits(const Place& place, const Sizes& sizes) {
  fmt::print("commits of one 1 kB value, synced before acknowledged\n");
  fmt::print("{:>28} {:>12} {:>12} {:>14}\n", "writers", "commits/s", "of bare", "of 1 writer");
  // Interleaved, so that a disk whose mood changes hits both.
  double bare = bare_appends(place.fresh("bare"), sizes.seconds / 2);
  const double one = commits(place.fresh("store"), 1, sizes.seconds);
  bare = (bare + bare_appends(place.fresh("bare"), sizes.seconds / 2)) / 2;
  place.fresh("bare");
  fmt::print("{:>28} {:>12.0f} {:>12.2f}\n", "bare append + fdatasync", bare, 1.0);
  fmt::print("{:>28} {:>12.0f} {:>12.2f} {:>14.1f}\n", 1, one, one / bare, 1.0);
  double most = 0;
  for (const size_t writers : {16, 64, 512}) {
    most = commits(place.fresh("store"), writers, sizes.seconds);
    fmt::print("{:>28} {:>12.0f} {:>12.2f} {:>14.1f}\n", writers, most, most / bare, most / one);
  }
  fmt::print("goal: 1 writer at least 0.8 of bare: {}\n", verdict(one >= 0.8 * bare));
  fmt::print("goal: 512 writers at least 20 times 1 writer: {}\n", verdict(most >= 20 * one));
  // What writers gain by sharing a sync depends on what a sync costs.
  const auto slow =
      rocksdb::NewCompositeEnv(std::make_shared<SlowDisk>(rocksdb::FileSystem::Default()));
  RocksOptions options;
  options.env = slow.get();
  const double slow_one = commits(place.fresh("store"), 1, sizes.seconds, options);
  const double slow_most = commits(place.fresh("store"), 512, sizes.seconds, options);
  fmt::print("the same where a sync takes 1 ms: {:.0f} and {:.0f} commits/s, {:.1f} times: {}\n\n",
             slow_one, slow_most, slow_most / slow_one, verdict(slow_most >= 20 * slow_one));
}

// Interleaved, so that a disk whose mood changes hits both.
void bench_encryption(const Place& place, const Sizes& sizes) {
  fmt::print("the same with every value encrypted by aesgcm\n");
  fmt::print("{:>10} {:>12} {:>12} {:>10}\n", "writers", "plain/s", "encrypted/s", "ratio");
  constexpr int kRounds = 3;
  RocksOptions encrypted;
  encrypted.transformer = std::make_shared<testkit::TestTransformer>("a");
  bool reached = true;
  for (const size_t writers : {1, 512}) {
    double without = 0;
    double with = 0;
    for (int round = 0; round < kRounds; ++round) {
      without += commits(place.fresh("store"), writers, sizes.seconds / kRounds);
      with += commits(place.fresh("store"), writers, sizes.seconds / kRounds, encrypted);
    }
    reached = reached && with >= 0.85 * without;
    fmt::print("{:>10} {:>12.0f} {:>12.0f} {:>10.2f}\n", writers, without / kRounds, with / kRounds,
               with / without);
  }
  fmt::print("goal: at least 0.85 of the rate without: {}\n\n", verdict(reached));
}

void bench_watches(const Place& place, const Sizes& sizes) {
  fmt::print("watch fan-out: one writer, every watch sees every event\n");
  fmt::print("{:>10} {:>12} {:>16}\n", "watches", "commits/s", "events/s");
  for (const size_t count : {1, 100, 1000}) {
    SystemClock clock;
    const auto store = open(place.fresh("store"), clock);
    struct Reader {
      std::unique_ptr<Watch> watch;
      std::atomic<bool> rung = true;
    };
    std::vector<Reader> readers(count);
    std::atomic<size_t> rings = 0;
    for (Reader& reader : readers) {
      const auto ring = [&reader, &rings] {
        reader.rung = true;
        ++rings;
        rings.notify_one();
      };
      reader.watch = store->watch({.prefix = "/registry/pods/", .from = {}, .wake = ring}).value();
    }
    const size_t expected = count * static_cast<size_t>(sizes.fan_out_commits);
    const auto start = steady_clock::now();
    std::jthread consumer([&] {
      for (size_t seen = 0; seen < expected;) {
        const size_t before = rings;
        for (Reader& reader : readers) {
          if (!reader.rung.exchange(false)) continue;
          for (;;) {
            const auto batch = reader.watch->next(1000);
            if (!batch.ok()) std::abort();
            if (batch->events.empty()) break;
            seen += batch->events.size();
          }
        }
        if (seen < expected) rings.wait(before);
      }
    });
    const Bytes value = make_value();
    for (int i = 0; i < sizes.fan_out_commits; ++i) {
      Txn txn;
      txn.operations.push_back(Put{pod_key(static_cast<size_t>(i)), value, {}});
      if (!store->commit(std::move(txn), Durability::kSynced).ok()) std::abort();
    }
    consumer.join();
    const double elapsed = seconds_since(start);
    fmt::print("{:>10} {:>12.0f} {:>16.0f}\n", count, sizes.fan_out_commits / elapsed,
               static_cast<double>(expected) / elapsed);
  }
  fmt::print("\n");
}

size_t resident_bytes() {
  std::ifstream statm("/proc/self/statm");
  size_t total = 0;
  size_t resident = 0;
  statm >> total >> resident;
  return resident * static_cast<size_t>(::sysconf(_SC_PAGESIZE));
}

void fill(Store& store, size_t objects) {
  const Bytes value = make_value();
  std::atomic<size_t> left = objects;
  for (size_t i = 0; i < objects; ++i) {
    Txn txn;
    txn.operations.push_back(Put{pod_key(i), value, {}});
    store.commit(std::move(txn), Durability::kSynced, [&](Result<Committed> result) {
      if (!result.ok()) std::abort();
      if (--left == 0) left.notify_all();
    });
    // Some queue is enough; the rest would only be memory.
    if (i % 8192 == 8191) {
      for (size_t now = left; now > objects - i; now = left) std::this_thread::yield();
    }
  }
  for (size_t now = left; now != 0; now = left) left.wait(now);
}

// In a process of its own, so that nothing but the store is in the figure.
void bench_open_once(const std::string& path, size_t objects) {
  SystemClock clock;
  const size_t before = resident_bytes();
  const auto start = steady_clock::now();
  const auto store = open(path, clock);
  const double elapsed = seconds_since(start);
  const double each = static_cast<double>(resident_bytes() - before) / static_cast<double>(objects);
  fmt::print("{:>10} {:>10.3f} {:>18.0f}\n", objects, elapsed, each);
  if (objects == 100'000) {
    fmt::print("goal: 100,000 objects open within 1 s: {}\n", verdict(elapsed <= 1.0));
    fmt::print("goal: at most 1.5 kB of memory a 1 kB object: {}\n", verdict(each <= 1.5 * 1024));
  }
}

void bench_open(const Place& place, const Sizes& sizes, const std::string& self) {
  fmt::print("opening a store of 1 kB objects (memory: resident, all in)\n");
  fmt::print("{:>10} {:>10} {:>18}\n", "objects", "seconds", "bytes an object");
  for (const size_t objects : sizes.objects) {
    const std::string path = place.fresh("store");
    {
      SystemClock clock;
      const auto store = open(path, clock);
      fill(*store, objects);
    }
    std::fflush(stdout);
    const std::string command = fmt::format("'{}' --open '{}' {}", self, path, objects);
    if (std::system(command.c_str()) != 0) std::abort();
  }
  fmt::print("\n");
}

}  // namespace store_bench
}  // namespace proa::store

int main(int argc, char** argv) {
  using namespace proa::store::store_bench;  // NOLINT: main has no namespace
  Sizes sizes;
  if (argc == 4 && std::string_view(argv[1]) == "--open") {
    bench_open_once(argv[2], std::stoul(argv[3]));
    return 0;
  }
  if (argc > 1 && std::string_view(argv[1]) == "--quick") {
    sizes = {.seconds = 1, .objects = {100'000}, .fan_out_commits = 300};
  }
  const Place place;
  if (argc > 1 && std::string_view(argv[1]) == "--encryption") {
    bench_encryption(place, sizes);
    return 0;
  }
  bench_commits(place, sizes);
  bench_encryption(place, sizes);
  bench_watches(place, sizes);
  bench_open(place, sizes, std::filesystem::read_symlink("/proc/self/exe").string());
  return 0;
}
