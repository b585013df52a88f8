#include "cli/backup/checkpoint.h"

#include <gtest/gtest.h>
#include <sys/socket.h>
#include <sys/stat.h>

#include <filesystem>
#include <thread>

#include "cli/backup/control.h"
#include "http/client/client.h"
#include "store/memory/memory_store.h"
#include "store/rocks/directory.h"
#include "store/rocks/rocks_store.h"
#include "testkit/process.h"

namespace proa::cli {
namespace {

using namespace std::chrono_literals;

class CheckpointTest : public testing::Test {
 protected:
  void open_store() {
    auto opened = store::open_rocks_store(data + "/store", clock, random);
    ASSERT_TRUE(opened.ok()) << opened.status().message();
    store = std::move(*opened);
    const auto put = store->commit({.operations = {store::Put{.key = "/a", .value = {"1"}}}},
                                   store::Durability::kSynced);
    ASSERT_TRUE(put.ok());
  }
  std::vector<std::string> checkpoints() {
    std::vector<std::string> found = *files.list(data);
    std::erase_if(found, [](const std::string& name) { return !name.starts_with("checkpoint-"); });
    return found;
  }
  store::DirectoryLabel label(const Checkpoint& checkpoint) {
    const auto text = files.read_file(checkpoint.path() + "/STORE", 4096);
    EXPECT_TRUE(text.ok());
    return *store::parse_label(*text);
  }
  void make_data_dir() { ASSERT_TRUE(files.make_dirs(data, 0700).ok()); }
  // The other process acts asynchronously.
  bool comes_true(const std::function<bool()>& condition) {
    const Steady end = clock.steady() + 30s;
    while (!condition()) {
      if (clock.steady() > end) return false;
      std::this_thread::yield();
    }
    return true;
  }

  const testkit::TempDir folder;
  // Longer than the path of a unix socket can be.
  const std::string data = folder.file(std::string(120, 'd'));
  SystemFiles files;
  SystemClock clock;
  SystemRandom random;
  std::unique_ptr<store::Store> store;
};

TEST_F(CheckpointTest, IsMadeByTheServerAndGoesWhenItIsLetGo) {
  open_store();
  const auto control = ControlSocket::open(data, *store, random);
  ASSERT_TRUE(control.ok()) << control.status().message();
  struct stat info {};
  ASSERT_EQ(::stat((data + "/control.sock").c_str(), &info), 0);
  EXPECT_EQ(info.st_mode & 0777, 0600u);

  auto first = take_checkpoint(data, clock, random);
  ASSERT_TRUE(first.ok()) << first.status().message();
  const auto second = take_checkpoint(data, clock, random);
  ASSERT_TRUE(second.ok()) << second.status().message();
  EXPECT_NE((*first)->path(), (*second)->path());
  EXPECT_EQ(label(**first).state, store::DirectoryLabel::State::kCopy);
  EXPECT_EQ(label(**first).revision, store->revision());

  const std::string path = (*first)->path();
  first->reset();
  EXPECT_TRUE(comes_true([&] { return !std::filesystem::exists(path); }));
  EXPECT_TRUE(std::filesystem::exists((*second)->path()));
}

TEST_F(CheckpointTest, GoesWithTheServer) {
  open_store();
  auto control = ControlSocket::open(data, *store, random);
  ASSERT_TRUE(control.ok()) << control.status().message();
  const auto held = take_checkpoint(data, clock, random);
  ASSERT_TRUE(held.ok()) << held.status().message();
  control->reset();
  EXPECT_EQ(checkpoints(), std::vector<std::string>{});
  EXPECT_FALSE(std::filesystem::exists(data + "/control.sock"));
}

TEST_F(CheckpointTest, IsMadeWithoutAServerToo) {
  open_store();
  store.reset();
  // A server that was killed leaves its socket behind.
  const auto where = ControlPath::open(data);
  const auto address = http::to_socket_address({.unix_path = where->path()});
  {
    const FileDescriptor killed(::socket(AF_UNIX, SOCK_STREAM, 0));
    ASSERT_EQ(::bind(killed.get(), address->raw(), address->size), 0);
  }
  {
    const auto made = take_checkpoint(data, clock, random);
    ASSERT_TRUE(made.ok()) << made.status().message();
    EXPECT_EQ(label(**made).state, store::DirectoryLabel::State::kCopy);
    EXPECT_EQ(checkpoints().size(), 1u);
  }
  EXPECT_EQ(checkpoints(), std::vector<std::string>{});
}

TEST_F(CheckpointTest, SaysWhatIsMissing) {
  make_data_dir();
  const auto nothing = take_checkpoint(data, clock, random);
  ASSERT_TRUE(nothing.is(Reason::kNotFound));
  EXPECT_NE(nothing.status().message().find("--data-dir"), std::string::npos);
  EXPECT_TRUE(files.list(data)->empty());
  // In use by a process without a control socket.
  open_store();
  EXPECT_TRUE(take_checkpoint(data, clock, random).is(Reason::kConflict));
  EXPECT_EQ(checkpoints(), std::vector<std::string>{});
}

TEST_F(CheckpointTest, AFailureOfTheServerIsTold) {
  make_data_dir();
  const auto memory = store::make_memory_store(clock);  // has nothing to copy
  const auto control = ControlSocket::open(data, *memory, random);
  ASSERT_TRUE(control.ok()) << control.status().message();
  std::filesystem::create_directories(data + "/store");
  folder.write(std::string(120, 'd') + "/store/STORE", "");
  const auto refused = take_checkpoint(data, clock, random);
  ASSERT_FALSE(refused.ok());
  EXPECT_NE(refused.status().message().find("asking the server"), std::string::npos);
  EXPECT_EQ(checkpoints(), std::vector<std::string>{});
}

TEST_F(CheckpointTest, OtherOrdersAreRefused) {
  open_store();
  const auto control = ControlSocket::open(data, *store, random);
  ASSERT_TRUE(control.ok()) << control.status().message();
  const auto where = ControlPath::open(data);
  http::LoopGroup loops(1);
  http::Client client(loops, clock, {});
  const auto ask = [&](const char* method, const char* target) {
    const auto answer = client.send(
        {.origin = http::Origin::unix_socket(where->path()), .method = method, .target = target},
        Until::after(clock, 30s));
    return answer.ok() ? answer->status : 0;
  };
  EXPECT_EQ(ask("GET", "/checkpoint"), 405);
  EXPECT_EQ(ask("POST", "/"), 404);
  EXPECT_EQ(ask("POST", "/checkpoint/../x"), 404);
  EXPECT_EQ(checkpoints(), std::vector<std::string>{});
}

}  // namespace
}  // namespace proa::cli
