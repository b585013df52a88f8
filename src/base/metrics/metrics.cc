#include "base/metrics/metrics.h"

#include <dirent.h>
#include <sys/resource.h>
#include <unistd.h>

#include <charconv>
#include <cmath>
#include <fstream>
#include <sstream>

#include "base/check.h"
#include "base/strings.h"

namespace proa {
namespace metrics {

std::string_view kind_name(MetricKind kind) {
  switch (kind) {
    case MetricKind::kCounter:
      return "counter";
    case MetricKind::kGauge:
      return "gauge";
    case MetricKind::kHistogram:
      return "histogram";
    case MetricKind::kSummary:
      return "summary";
  }
  return "untyped";
}

void append_escaped(std::string& out, std::string_view text, bool quotes) {
  for (const char character : text) {
    if (character == '\\') {
      out += "\\\\";
    } else if (character == '\n') {
      out += "\\n";
    } else if (character == '"' && quotes) {
      out += "\\\"";
    } else {
      out += character;
    }
  }
}

constexpr MetricFamily kCpu{"process_cpu_seconds_total",
                            "CPU time that the process took, in seconds.", MetricKind::kCounter};
constexpr MetricFamily kResident{"process_resident_memory_bytes", "Memory of the process.",
                                 MetricKind::kGauge};
constexpr MetricFamily kVirtual{"process_virtual_memory_bytes", "Address space of the process.",
                                MetricKind::kGauge};
constexpr MetricFamily kOpenFiles{"process_open_fds", "Open files.", MetricKind::kGauge};
constexpr MetricFamily kMaxFiles{"process_max_fds", "Maximum number of open files.",
                                 MetricKind::kGauge};
constexpr MetricFamily kStart{"process_start_time_seconds",
                              "When the process began, in seconds since 1970.", MetricKind::kGauge};
// Dashboards made for Go programs expect this name.
constexpr MetricFamily kThreads{"go_goroutines", "Threads of the process.", MetricKind::kGauge};

// The numbers of /proc/self/stat after the name, which may contain anything, even ')'.
std::vector<double> read_stat() {
  std::ifstream file("/proc/self/stat");
  std::string text;
  std::getline(file, text);
  const size_t end = text.rfind(')');
  std::vector<double> numbers;
  if (end == std::string::npos) return numbers;
  // The state is a letter.
  std::istringstream rest(text.substr(std::min(end + 4, text.size())));
  for (double number = 0; rest >> number;) numbers.push_back(number);
  return numbers;
}

double read_boot_time() {
  std::ifstream file("/proc/stat");
  for (std::string word; file >> word;) {
    double time = 0;
    if (word == "btime" && file >> time) return time;
  }
  return 0;
}

double start_seconds(const std::vector<double>& stat) {
  constexpr size_t kStartTime = 18;
  if (stat.size() <= kStartTime) return 0;
  return read_boot_time() + stat[kStartTime] / static_cast<double>(sysconf(_SC_CLK_TCK));
}

int64_t count_open_files() {
  DIR* folder = opendir("/proc/self/fd");
  if (folder == nullptr) return 0;
  int64_t count = -3;  // itself, "." and ".."
  while (readdir(folder) != nullptr) ++count;
  closedir(folder);
  return count;
}

}  // namespace metrics

size_t MetricFamily::label_count() const {
  size_t count = 0;
  while (count < labels.size() && !labels[count].empty()) ++count;
  return count;
}

std::vector<uint64_t> Histogram::cumulative() const {
  std::vector<uint64_t> counts;
  uint64_t sum = 0;
  for (size_t i = 0; i <= bounds_.size(); ++i) {
    sum += buckets_[i].load(std::memory_order_relaxed);
    counts.push_back(sum);
  }
  return counts;
}

std::string metric_number(double number) {
  if (std::isinf(number)) return number > 0 ? "+Inf" : "-Inf";
  if (std::isnan(number)) return "NaN";
  std::array<char, 400> buffer{};
  // As strconv.FormatFloat(number, 'g', -1, 64): an exponent from a million on.
  const double size = std::abs(number);
  const bool exponent = size != 0 && (size < 1e-4 || size >= 1e6);
  const auto end =
      std::to_chars(buffer.data(), buffer.data() + buffer.size(), number,
                    exponent ? std::chars_format::scientific : std::chars_format::fixed)
          .ptr;
  return {buffer.data(), end};
}

void MetricsText::begin(const MetricFamily& family) {
  family_ = &family;
  text_.append("# HELP ").append(family.name).append(" ");
  metrics::append_escaped(text_, family.help, false);
  text_.append("\n# TYPE ").append(family.name).append(" ");
  text_.append(metrics::kind_name(family.kind)).append("\n");
}

void MetricsText::sample(std::string_view suffix, Values values, const Extra& extra,
                         std::string_view value) {
  text_.append(family_->name).append(suffix);
  char separator = '{';
  for (size_t i = 0; i < values.size(); ++i) {
    text_ += separator;
    text_.append(family_->labels[i]).append("=\"");
    metrics::append_escaped(text_, values[i], true);
    text_ += '"';
    separator = ',';
  }
  if (!extra.name.empty()) {
    text_ += separator;
    text_.append(extra.name).append("=\"").append(extra.value).append("\"");
    separator = ',';
  }
  if (separator == ',') text_ += '}';
  text_.append(" ").append(value).append("\n");
}

void MetricsText::add(Values values, uint64_t value) {
  sample("", values, {}, std::to_string(value));
}

void MetricsText::add(Values values, int64_t value) {
  sample("", values, {}, std::to_string(value));
}

void MetricsText::add(Values values, double value) { sample("", values, {}, metric_number(value)); }

void MetricsText::add(Values values, const Histogram& histogram) {
  const std::vector<uint64_t> counts = histogram.cumulative();
  size_t next = 0;
  for (size_t i = 0; i < histogram.bounds().size() && next < family_->bounds.size(); ++i) {
    if (histogram.bounds()[i] != family_->bounds[next]) continue;
    sample("_bucket", values, {"le", metric_number(family_->bounds[next])},
           std::to_string(counts[i]));
    ++next;
  }
  CHECK(next == family_->bounds.size());
  const std::string all = std::to_string(counts.back());
  sample("_bucket", values, {"le", "+Inf"}, all);
  sample("_sum", values, {}, metric_number(histogram.sum()));
  sample("_count", values, {}, all);
}

void MetricsText::add(Values values, const SummaryValue& summary) {
  for (const SummaryValue::Quantile& quantile : summary.quantiles) {
    sample("", values, {"quantile", metric_number(quantile.rank)}, metric_number(quantile.value));
  }
  sample("_sum", values, {}, metric_number(summary.sum));
  sample("_count", values, {}, std::to_string(summary.count));
}

Metrics::Series& Metrics::find(const MetricFamily& family,
                               std::initializer_list<std::string_view> values) {
  CHECK(values.size() == family.label_count());
  MutexLock lock(mutex_);
  Group* group = nullptr;
  for (Group& present : groups_) {
    if (present.family == &family) group = &present;
  }
  if (group == nullptr) group = &groups_.emplace_back(Group{&family, {}});
  for (const auto& series : group->series) {
    if (std::equal(values.begin(), values.end(), series->values.begin(), series->values.end())) {
      return *series;
    }
  }
  auto series = std::make_unique<Series>(family);
  series->values.assign(values.begin(), values.end());
  return *group->series.emplace_back(std::move(series));
}

Counter& Metrics::counter(const MetricFamily& family,
                          std::initializer_list<std::string_view> values) {
  CHECK(family.kind == MetricKind::kCounter);
  return find(family, values).counter;
}

Gauge& Metrics::gauge(const MetricFamily& family, std::initializer_list<std::string_view> values) {
  CHECK(family.kind == MetricKind::kGauge);
  return find(family, values).gauge;
}

Histogram& Metrics::histogram(const MetricFamily& family,
                              std::initializer_list<std::string_view> values) {
  CHECK(family.kind == MetricKind::kHistogram);
  return find(family, values).histogram;
}

void Metrics::collect(std::function<void(MetricsText&)> collector) {
  MutexLock lock(mutex_);
  collectors_.push_back(std::move(collector));
}

std::string Metrics::text() const {
  MetricsText text;
  std::vector<std::function<void(MetricsText&)>> collectors;
  {
    MutexLock lock(mutex_);
    collectors = collectors_;
    for (const Group& group : groups_) {
      text.begin(*group.family);
      for (const auto& series : group.series) {
        const std::vector<std::string_view> values(series->values.begin(), series->values.end());
        if (group.family->kind == MetricKind::kCounter) text.add(values, series->counter.value());
        if (group.family->kind == MetricKind::kGauge) text.add(values, series->gauge.value());
        if (group.family->kind == MetricKind::kHistogram) text.add(values, series->histogram);
      }
    }
  }
  for (const auto& collector : collectors) collector(text);
  return text.take();
}

void add_process_metrics(MetricsText& text) {
  const std::vector<double> stat = metrics::read_stat();
  // Field positions as in proc(5), less the three fields in front of these numbers.
  constexpr size_t kUserTime = 10, kSystemTime = 11, kThreadCount = 16, kVirtualSize = 19,
                   kResidentPages = 20;
  if (stat.size() <= kResidentPages) return;
  const auto ticks = static_cast<double>(sysconf(_SC_CLK_TCK));
  const auto put = [&](const MetricFamily& family, double value) {
    text.begin(family);
    text.add({}, value);
  };
  put(metrics::kCpu, (stat[kUserTime] + stat[kSystemTime]) / ticks);
  put(metrics::kResident, stat[kResidentPages] * static_cast<double>(sysconf(_SC_PAGESIZE)));
  put(metrics::kVirtual, stat[kVirtualSize]);
  put(metrics::kStart, metrics::start_seconds(stat));
  put(metrics::kThreads, stat[kThreadCount]);
  put(metrics::kOpenFiles, static_cast<double>(metrics::count_open_files()));
  rlimit limit{};
  if (getrlimit(RLIMIT_NOFILE, &limit) == 0) {
    put(metrics::kMaxFiles, static_cast<double>(limit.rlim_cur));
  }
}

double process_start_seconds() { return metrics::start_seconds(metrics::read_stat()); }

void add_process_start(MetricsText& text) {
  text.begin(metrics::kStart);
  text.add({}, process_start_seconds());
}

}  // namespace proa
