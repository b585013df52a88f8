#include "apiserver/front/tracing/span_exporter.h"

#include <gtest/gtest.h>

#include <thread>

#include "api/codec/protobuf/wire.h"
#include "http/client/grpc_status.h"
#include "testkit/fake_clock.h"

namespace proa::apiserver::tracing {
namespace {

using http::GrpcCode;
using std::chrono::seconds;

// How many spans a request has.
size_t count_spans(std::string_view message) {
  const auto inside = [](std::string_view outer, uint32_t number) {
    std::vector<std::string_view> found;
    api::WireReader reader(outer);
    api::WireField field;
    while (reader.next(field)) {
      if (field.number == number) found.push_back(field.bytes);
    }
    return found;
  };
  return inside(inside(inside(message, 1).at(0), 2).at(0), 2).size();
}

// A collector that answers as it is told.
class SpanExporterTest : public testing::Test {
 protected:
  SpanExporter::Send send() {
    return [this](std::string_view message, const Until&) -> Result<Bytes> {
      MutexLock lock(mutex_);
      batches_.push_back(count_spans(message));
      changed_.notify_all();
      if (batches_.size() <= failures_) return http::grpc_status(code_, "not now");
      return Bytes(answer_);
    };
  }
  // Waits until it got so many batches.
  std::vector<size_t> await(size_t count) {
    MutexLock lock(mutex_);
    while (batches_.size() < count) changed_.wait(mutex_);
    return batches_;
  }
  static std::vector<Span> spans(size_t count) { return std::vector<Span>(count); }
  static std::string text(const SpanExporter& exporter) {
    MetricsText text;
    exporter.write(text);
    return text.take();
  }
  static bool has(const SpanExporter& exporter, const std::string& line) {
    return text(exporter).find(line + "\n") != std::string::npos;
  }

  testkit::FakeClock clock_;
  Mutex mutex_;
  CondVar changed_;
  std::vector<size_t> batches_ GUARDED_BY(mutex_);
  size_t failures_ = 0;  // so many attempts fail
  GrpcCode code_ = GrpcCode::kUnavailable;
  std::string answer_;
};

TEST_F(SpanExporterTest, SendsFullBatchesAtOnceAndOthersLater) {
  SpanExporter exporter(send(), "me", clock_, {.queue = 100, .batch = 10});
  exporter.push(spans(10));
  EXPECT_EQ(await(1), (std::vector<size_t>{10}));
  exporter.push(spans(3));
  clock_.await_waiters(1);
  clock_.advance(seconds(5));
  EXPECT_EQ(await(2), (std::vector<size_t>{10, 3}));
}

TEST_F(SpanExporterTest, DropsWhatFindsNoPlace) {
  SpanExporter exporter(send(), "me", clock_, {.queue = 10, .batch = 100});
  exporter.push(spans(7));
  exporter.push(spans(7));
  EXPECT_TRUE(has(exporter, R"(proa_tracing_spans_dropped_total{reason="queue_full"} 4)"));
  exporter.stop();
  EXPECT_EQ(await(1), (std::vector<size_t>{10})) << "a server that stops sends what is queued";
  EXPECT_TRUE(has(exporter, "proa_tracing_spans_exported_total 10"));
  exporter.push(spans(2));
  EXPECT_TRUE(has(exporter, R"(proa_tracing_spans_dropped_total{reason="queue_full"} 6)"));
}

TEST_F(SpanExporterTest, TriesAgainWhileTheCollectorIsAway) {
  failures_ = 2;
  SpanExporter exporter(send(), "me", clock_, {.batch = 1});
  exporter.push(spans(1));
  await(1);
  clock_.await_waiters(1);
  clock_.advance(seconds(5));
  await(2);
  clock_.await_waiters(1);
  clock_.advance(seconds(10));
  await(3);
  exporter.stop();
  EXPECT_TRUE(has(exporter, "proa_tracing_spans_exported_total 1"));
}

TEST_F(SpanExporterTest, GivesUpAfterAWhile) {
  failures_ = 1000;
  SpanExporter exporter(send(), "me", clock_, {.batch = 1});
  exporter.push(spans(1));
  for (size_t attempt = 1; attempt <= 2; ++attempt) {
    await(attempt);
    clock_.await_waiters(1);
    clock_.advance(seconds(20));
  }
  await(3);
  exporter.stop();
  EXPECT_TRUE(has(exporter, R"(proa_tracing_spans_dropped_total{reason="export_failed"} 1)"))
      << text(exporter);
}

TEST_F(SpanExporterTest, DoesNotRepeatWhatIsRefused) {
  failures_ = 1;
  code_ = GrpcCode::kInvalidArgument;
  answer_ = std::string("\x0a\x02\x08\x03", 4);  // three of the next ones are rejected
  SpanExporter exporter(send(), "me", clock_, {.batch = 5});
  exporter.push(spans(5));
  await(1);
  exporter.push(spans(5));
  await(2);
  exporter.stop();
  EXPECT_TRUE(has(exporter, "proa_tracing_spans_exported_total 2"));
  EXPECT_TRUE(has(exporter, R"(proa_tracing_spans_dropped_total{reason="export_failed"} 8)"));
}

TEST_F(SpanExporterTest, SendsLongSpansInSeveralMessages) {
  SpanExporter exporter(send(), "me", clock_, {.batch = 8, .bytes = 5000});
  std::vector<Span> long_spans = spans(8);
  for (size_t i = 0; i < 5; ++i) long_spans[i].name = std::string(2000, 'x');
  long_spans[7].name = std::string(6000, 'x');  // too long even alone
  exporter.push(std::move(long_spans));
  EXPECT_EQ(await(5), (std::vector<size_t>{2, 2, 2, 1, 1}));
  exporter.stop();
  EXPECT_TRUE(has(exporter, "proa_tracing_spans_exported_total 8")) << text(exporter);
}

TEST_F(SpanExporterTest, ThreadsPushAtTheSameTime) {
  SystemClock clock;
  SpanExporter exporter(send(), "me", clock, {.queue = 100'000, .batch = 50});
  {
    std::vector<std::jthread> threads;
    for (int t = 0; t < 4; ++t) {
      threads.emplace_back([&] {
        for (int i = 0; i < 500; ++i) exporter.push(spans(2));
      });
    }
  }
  exporter.stop();
  EXPECT_TRUE(has(exporter, "proa_tracing_spans_exported_total 4000")) << text(exporter);
}

}  // namespace
}  // namespace proa::apiserver::tracing
