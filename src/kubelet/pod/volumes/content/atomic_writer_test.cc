#include "kubelet/pod/volumes/content/atomic_writer.h"

#include <array>
#include <climits>

#include "base/files.h"
#include "kubelet/host/mounts/folder.h"
#include "testkit/fake_clock.h"
#include "testkit/kubelet/volume_fixtures.h"

namespace proa::kubelet {
namespace {

using testing::file_text;
using testing::is_there;
using testing::TemporaryFolder;

constexpr Time kNow = testkit::FakeClock::kStart;
Result<void> nothing() { return {}; }

Payload files(const std::map<std::string, std::string>& texts) {
  Payload payload;
  for (const auto& [path, text] : texts) payload[path] = ContentFile{.data = text};
  return payload;
}

std::string link_at(const std::string& path) {
  std::array<char, PATH_MAX> target{};
  const ssize_t length = ::readlink(path.c_str(), target.data(), target.size());
  return length < 0 ? "<none>" : std::string(target.data(), static_cast<size_t>(length));
}

std::vector<std::string> names(const std::string& path) { return *SystemFiles().list(path); }

TEST(CheckedPayload, RefusesPathsThatLeadElsewhere) {
  struct Case {
    std::string path;
    std::string failure;  // empty: fine
  };
  for (const Case& c : {
           Case{"i/am/well/behaved.txt", ""},
           Case{"...dots", "invalid path: must not start with '..': ...dots"},
           Case{"a/..b", ""},
           Case{"", "invalid path: must not be empty: \"\""},
           Case{"/dev/null", "invalid path: must be relative path: /dev/null"},
           Case{"..sneaky", "invalid path: must not start with '..': ..sneaky"},
           Case{"./..sneaky", "invalid path: must not start with '..': ..sneaky"},
           Case{"a/../b", "invalid path: must not contain '..': a/../b"},
           Case{"..", "invalid path: must not contain '..': .."},
           Case{std::string(4097, 'a'),
                "invalid path: must be less than or equal to 4096 characters"},
           Case{std::string(256, 'a'),
                "invalid path: filenames must be less than or equal to 255 characters"},
       }) {
    SCOPED_TRACE(c.path);
    const Result<Payload> checked = checked_payload(files({{c.path, ""}}));
    EXPECT_EQ(checked.ok() ? "" : checked.status().message(), c.failure);
  }
  EXPECT_TRUE(checked_payload(files({{"a//b/./c", "x"}}))->contains("a/b/c"));
}

TEST(WriteAtomically, LaysContentOutAsUpstreamDoes) {
  const TemporaryFolder folder;
  ASSERT_TRUE(write_atomically(folder.path(),
                               files({{"plain", "1"}, {"user/labels", "2"}, {"user/a/b", "3"}}),
                               kNow, nothing)
                  .ok());
  const std::string stamped = link_at(folder.at("..data"));
  EXPECT_TRUE(stamped.starts_with("..2026_01_02_15_04_05.")) << stamped;
  EXPECT_EQ(names(folder.path()), (std::vector<std::string>{stamped, "..data", "plain", "user"}));
  EXPECT_EQ(link_at(folder.at("plain")), "..data/plain");
  EXPECT_EQ(link_at(folder.at("user")), "..data/user");
  EXPECT_EQ(file_text(folder.at("user/a/b")), "3");
  EXPECT_EQ(testing::mode_at(folder.at(stamped)), 0755u);
  EXPECT_EQ(testing::mode_at(folder.at(stamped) + "/user"), 0755u);
  EXPECT_TRUE(has_content(folder.path()));
}

TEST(WriteAtomically, WritesOnlyWhatChanged) {
  const TemporaryFolder folder;
  int written = 0;
  const auto count = [&written]() -> Result<void> {
    ++written;
    return {};
  };
  struct Case {
    const char* name;
    std::map<std::string, std::string> content;
    bool writes;
  };
  for (const Case& c : {Case{"first", {{"a", "1"}, {"b/c", "2"}}, true},
                        Case{"same", {{"a", "1"}, {"b/c", "2"}}, false},
                        Case{"other text", {{"a", "x"}, {"b/c", "2"}}, true},
                        Case{"one more", {{"a", "x"}, {"b/c", "2"}, {"d", ""}}, true},
                        Case{"one less", {{"a", "x"}, {"d", ""}}, true},
                        Case{"longer", {{"a", "xx"}, {"d", ""}}, true}, Case{"none", {}, true},
                        Case{"none again", {}, false}}) {
    SCOPED_TRACE(c.name);
    const int before = written;
    const std::string old = link_at(folder.at("..data"));
    ASSERT_TRUE(write_atomically(folder.path(), files(c.content), kNow, count).ok());
    EXPECT_EQ(written - before, c.writes ? 1 : 0);
    EXPECT_EQ(link_at(folder.at("..data")) != old, c.writes);
    for (const auto& [path, text] : c.content) EXPECT_EQ(file_text(folder.at(path)), text);
    // Nothing is left of what was before.
    std::set<std::string> tops = {"..data", link_at(folder.at("..data"))};
    for (const auto& [path, text] : c.content) tops.insert(path.substr(0, path.find('/')));
    const std::vector<std::string> there = names(folder.path());
    EXPECT_EQ(std::set<std::string>(there.begin(), there.end()), tops);
  }
}

TEST(WriteAtomically, SetsModesWhateverTheUmask) {
  const TemporaryFolder folder;
  const mode_t old = ::umask(077);
  Payload payload = files({{"deep/open", "1"}, {"closed", "2"}});
  payload["deep/open"].mode = 0666;
  payload["closed"].mode = 0400;
  const Result<void> written = write_atomically(folder.path(), payload, kNow, nothing);
  ::umask(old);
  ASSERT_TRUE(written.ok());
  EXPECT_EQ(testing::mode_at(folder.at("..data/deep/open")), 0666u);
  EXPECT_EQ(testing::mode_at(folder.at("..data/closed")), 0400u);
  EXPECT_EQ(testing::mode_at(folder.at("..data/deep")), 0755u);
}

TEST(WriteAtomically, ShowsNothingNewWhenPermissionsFail) {
  const TemporaryFolder folder;
  ASSERT_TRUE(write_atomically(folder.path(), files({{"a", "old"}}), kNow, nothing).ok());
  const auto fail = []() -> Result<void> { return Status(Reason::kInternalError, "no"); };
  EXPECT_FALSE(write_atomically(folder.path(), files({{"a", "new"}}), kNow, fail).ok());
  EXPECT_EQ(file_text(folder.at("a")), "old");
  EXPECT_EQ(names(folder.path()).size(), 3u);  // the content, ..data and the link
}

// Every state that a run can end in; the next one puts it right.
TEST(WriteAtomically, GoesOnWhereARunEnded) {
  const Payload before = files({{"gone", "1"}, {"kept", "2"}});
  const Payload after = files({{"kept", "3"}, {"added", "4"}});
  const auto half = [](const std::string& path) {
    ASSERT_TRUE(make_folders(path + "/..2026_01_02_15_04_05.77", 0755).ok());
    testing::put_file(path + "/..2026_01_02_15_04_05.77/kept", "half");
  };
  struct Case {
    const char* name;
    std::function<void(const std::string& path)> crash;
  };
  const std::vector<Case> cases = {
      {"content half written", half},
      {"linked, not renamed",
       [&half](const std::string& path) {
         half(path);
         ASSERT_EQ(::symlink("..2026_01_02_15_04_05.77", (path + "/..data_tmp").c_str()), 0);
       }},
      {"renamed, links as before",
       [&half](const std::string& path) {
         half(path);
         ASSERT_EQ(::unlink((path + "/..data").c_str()), 0);
         ASSERT_EQ(::symlink("..2026_01_02_15_04_05.77", (path + "/..data").c_str()), 0);
       }},
      {"data gone",
       [](const std::string& path) {
         ASSERT_TRUE(remove_tree(path + "/" + link_at(path + "/..data")).ok());
       }},
      {"data points elsewhere",
       [](const std::string& path) {
         ASSERT_EQ(::unlink((path + "/..data").c_str()), 0);
         ASSERT_EQ(::symlink("../../etc", (path + "/..data").c_str()), 0);
       }},
  };
  for (const Case& c : cases) {
    SCOPED_TRACE(c.name);
    const TemporaryFolder folder;
    ASSERT_TRUE(write_atomically(folder.path(), before, kNow, nothing).ok());
    c.crash(folder.path());
    ASSERT_TRUE(write_atomically(folder.path(), after, kNow, nothing).ok());
    EXPECT_EQ(file_text(folder.at("kept")), "3");
    EXPECT_EQ(file_text(folder.at("added")), "4");
    EXPECT_EQ(names(folder.path()),
              (std::vector<std::string>{link_at(folder.at("..data")), "..data", "added", "kept"}));
  }
}

TEST(WriteAtomically, LeavesMountPointsOfOtherVolumes) {
  const TemporaryFolder folder;
  ASSERT_TRUE(make_folders(folder.at("nested"), 0755).ok());
  ASSERT_TRUE(
      write_atomically(folder.path(), files({{"nested", "x"}, {"a", "1"}}), kNow, nothing).ok());
  ASSERT_TRUE(write_atomically(folder.path(), files({{"a", "1"}}), kNow, nothing).ok());
  EXPECT_TRUE(S_ISDIR(testing::look_at(folder.at("nested")).st_mode));
}

TEST(WriteAtomically, FailsWhereAFileWouldBeAFolder) {
  const TemporaryFolder folder;
  EXPECT_FALSE(
      write_atomically(folder.path(), files({{"a", "x"}, {"a/b", "1"}}), kNow, nothing).ok());
  EXPECT_FALSE(has_content(folder.path()));
  EXPECT_TRUE(names(folder.path()).empty());
  EXPECT_FALSE(write_atomically(folder.at("none"), {}, kNow, nothing).ok());
}

}  // namespace
}  // namespace proa::kubelet
