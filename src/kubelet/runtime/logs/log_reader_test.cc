#include "kubelet/runtime/logs/log_reader.h"

#include <gtest/gtest.h>

#include <atomic>
#include <thread>

#include "testkit/kubelet/log_folder.h"

namespace proa::kubelet {
namespace {

const char* const kLog =
    "2026-01-02T00:00:01Z stdout F one\n"
    "2026-01-02T00:00:02.5Z stderr F two\n"
    "2026-01-02T00:00:03Z stdout P thr\n"
    "not a line of a log\n"
    "2026-01-02T00:00:04Z stdout F ee\n"
    "2026-01-02T00:00:05Z stdout F \n"
    "2026-01-02T00:00:06Z stdout F cut";

struct Fixture {
  Result<std::unique_ptr<LogReader>> open(const LogOptions& options,
                                          const std::string& path = "pod/main/0.log") {
    return LogReader::open(
        {.clock = clock, .files = folder.files, .is_running = [this] { return running.load(); }},
        folder.root, path, options);
  }
  // To the end.
  std::string read(const LogOptions& options) {
    const auto reader = open(options);
    if (!reader) return "! " + reader.status().message();
    return rest(**reader);
  }
  static std::string rest(LogReader& reader) {
    std::string text;
    while (true) {
      const auto piece = reader.next({});
      if (!piece) return "! " + piece.status().message();
      if (!*piece) return text;
      text += (*piece)->view();
    }
  }
  // Until so much has come.
  static std::string some(LogReader& reader, size_t size) {
    std::string text;
    while (text.size() < size) {
      const auto piece = reader.next({});
      if (!piece || !*piece) return text + "!";
      text += (*piece)->view();
    }
    return text;
  }
  SystemClock clock;
  TestFolder folder;
  std::atomic<bool> running = true;
};

LogOptions options_with(const std::function<void(LogOptions&)>& change) {
  LogOptions options;
  change(options);
  return options;
}

TEST(LogReader, ReadsWhatIsWanted) {
  const struct {
    const char* name;
    std::function<void(LogOptions&)> change;
    const char* expected;
  } cases[] = {
      {"all", [](LogOptions&) {}, "one\ntwo\nthree\n\ncut"},
      {"one stream", [](LogOptions& o) { o.stream = LogStream::kStderr; }, "two\n"},
      {"the other", [](LogOptions& o) { o.stream = LogStream::kStdout; }, "one\nthree\n\ncut"},
      {"times, once a line", [](LogOptions& o) { o.timestamps = true; },
       "2026-01-02T00:00:01.000000000Z one\n2026-01-02T00:00:02.500000000Z two\n"
       "2026-01-02T00:00:03.000000000Z three\n2026-01-02T00:00:05.000000000Z \n"
       "2026-01-02T00:00:06.000000000Z cut"},
      {"since", [](LogOptions& o) { o.since = *parse_time("2026-01-02T00:00:04Z"); }, "ee\n\ncut"},
      {"bytes", [](LogOptions& o) { o.limit_bytes = 6; }, "one\ntw"},
      {"bytes of one stream",
       [](LogOptions& o) {
         o.limit_bytes = 2;
         o.stream = LogStream::kStderr;
       },
       "tw"},
      {"no lines", [](LogOptions& o) { o.tail_lines = 0; }, ""},
      {"the last lines that are whole", [](LogOptions& o) { o.tail_lines = 2; }, "ee\n\n"},
      {"more lines than there are", [](LogOptions& o) { o.tail_lines = 100; },
       "one\ntwo\nthree\n\ncut"},
  };
  Fixture fixture;
  fixture.folder.append("0.log", kLog);
  for (const auto& c : cases) {
    SCOPED_TRACE(c.name);
    EXPECT_EQ(fixture.read(options_with(c.change)), c.expected);
  }
}

TEST(LogReader, FindsLastLinesOfLongFiles) {
  Fixture fixture;
  std::string text;
  for (int i = 0; i < 20000; ++i) text += "2026-01-02T00:00:01Z stdout F line\n";
  text += "2026-01-02T00:00:01Z stdout F last\n";
  fixture.folder.append("0.log", text);
  EXPECT_EQ(fixture.read(options_with([](LogOptions& o) { o.tail_lines = 2; })), "line\nlast\n");
  EXPECT_EQ(fixture.read(options_with([](LogOptions& o) { o.tail_lines = 15000; })).size(),
            15000u * 5);
}

TEST(LogReader, RefusesWhatIsNoLog) {
  Fixture fixture;
  fixture.folder.append("0.log", "root:x:0:0\n");
  EXPECT_EQ(fixture.read({}),
            "! failed to get parse function: unsupported log format: \"root:x:0:0\\n\"");
  ASSERT_EQ(::symlink("/etc/hostname", fixture.folder.path("link").c_str()), 0);
  EXPECT_FALSE(fixture.open({}, "pod/main/link").ok());
  EXPECT_FALSE(fixture.open({}, "../../etc/hostname").ok());
  EXPECT_FALSE(fixture.open({}, "pod/main").ok());
  EXPECT_TRUE(fixture.open({}, "pod/main/1.log").is(Reason::kNotFound));
}

TEST(LogReader, FollowsUntilTheContainerEnds) {
  Fixture fixture;
  fixture.folder.append("0.log", "2026-01-02T00:00:01Z stdout F one\n");
  const auto reader = fixture.open({.follow = true});
  ASSERT_TRUE(reader.ok());
  EXPECT_EQ(Fixture::some(**reader, 4), "one\n");
  std::jthread writer([&fixture] {
    fixture.folder.append("0.log", "2026-01-02T00:00:02Z stdout F tw");
    fixture.folder.append("0.log", "o\n");
    fixture.running = false;
    fixture.folder.append("0.log", "2026-01-02T00:00:03Z stdout F three\n");
  });
  EXPECT_EQ(Fixture::rest(**reader).substr(0, 4), "two\n");
}

TEST(LogReader, ReadsToTheEndWhenTheContainerHasEnded) {
  Fixture fixture;
  fixture.running = false;
  fixture.folder.append("0.log", kLog);
  EXPECT_EQ(fixture.read({.follow = true, .tail_lines = 1}), "\n");
}

TEST(LogReader, GoesOnWithTheNextFile) {
  Fixture fixture;
  fixture.folder.append("0.log", "2026-01-02T00:00:01Z stdout F one\n");
  const auto reader = fixture.open({.follow = true});
  ASSERT_TRUE(reader.ok());
  EXPECT_EQ(Fixture::some(**reader, 4), "one\n");
  const FileDescriptor old(
      ::open(fixture.folder.path("0.log").c_str(), O_WRONLY | O_APPEND | O_CLOEXEC));
  std::jthread writer([&fixture, &old] {
    ASSERT_EQ(::rename(fixture.folder.path("0.log").c_str(),
                       fixture.folder.path("0.log.20260102-000000").c_str()),
              0);
    fixture.folder.append("0.log", "");
    const std::string_view late = "2026-01-02T00:00:02Z stdout F two\n";
    ASSERT_EQ(::write(old.get(), late.data(), late.size()), static_cast<ssize_t>(late.size()));
    fixture.folder.append("0.log", "2026-01-02T00:00:03Z stdout F three\n");
  });
  EXPECT_EQ(Fixture::some(**reader, 10), "two\nthree\n");
  writer.join();
  fixture.running = false;
  (*reader)->wake();
  EXPECT_EQ(Fixture::rest(**reader), "");
}

TEST(LogReader, StopsWaitingWhenItIsToldTo) {
  Fixture fixture;
  fixture.folder.append("0.log", "2026-01-02T00:00:01Z stdout F one\n");
  const auto reader = fixture.open({.follow = true, .tail_lines = 0});
  ASSERT_TRUE(reader.ok());
  const auto late = (*reader)->next(Until::after(fixture.clock, std::chrono::milliseconds(1)));
  ASSERT_TRUE(late.ok() && late->has_value());
  EXPECT_TRUE((*late)->empty());
  std::stop_source stop;
  std::jthread stopper([&stop] { stop.request_stop(); });
  const auto stopped = (*reader)->next({.deadline = Steady::max(), .stop = stop.get_token()});
  ASSERT_TRUE(stopped.ok() && stopped->has_value());
  EXPECT_TRUE((*stopped)->empty());
}

TEST(LogSince, IsTheLaterOfBoth) {
  const Time now = *parse_time("2026-01-02T00:10:00Z");
  const Time early = *parse_time("2026-01-02T00:00:00Z");
  EXPECT_EQ(log_since({}, {}, now), Time::min());
  EXPECT_EQ(log_since(60, {}, now), now - std::chrono::minutes(1));
  EXPECT_EQ(log_since(60, early, now), now - std::chrono::minutes(1));
  EXPECT_EQ(log_since(6000, early, now), early);
  EXPECT_LT(log_since(std::numeric_limits<int64_t>::max(), {}, now), early);
}

}  // namespace
}  // namespace proa::kubelet
