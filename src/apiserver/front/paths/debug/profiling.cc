#include "apiserver/front/paths/debug/profiling.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <stop_token>

#include "http/wire/gzip.h"
#include "profile/cpu_profile.h"
#include "profile/heap_profile.h"

namespace proa::apiserver {
namespace profiling {

constexpr int64_t kDefaultSeconds = 30;
// Somebody who waits for longer has forgotten it.
constexpr int64_t kMostSeconds = 600;
// In one question.
constexpr size_t kMostAddresses = 100'000;

constexpr std::string_view kIndex = R"(<html>
<head>
<title>/debug/pprof/</title>
</head>
<body>
/debug/pprof/
<br>
<p>Set debug=1 as a query parameter to export heap in jemalloc's text format</p>
<br>
Types of profiles available:
<ul>
<li><a href='heap'>heap</a>: A sampling of memory allocations of live objects.</li>
<li><a href='profile'>profile</a>: CPU profile. You can specify the duration in the seconds GET parameter. After you get the profile file, use the go tool pprof command to investigate the profile.</li>
<li><a href='symbol'>symbol</a>: Maps given program counters to function names. Counters can be specified in a GET raw query, multiple counters are separated by '+'.</li>
</ul>
</body>
</html>)";

// The part after "/debug/pprof/"; nullopt: another path.
std::optional<std::string_view> name_of(const http::Target& target) {
  const std::vector<std::string>& parts = target.segments;
  if (parts.size() != 3 || parts[0] != "debug" || parts[1] != "pprof") return std::nullopt;
  return parts[2];
}

// As net/http/pprof's serveError: by this header its tools know that the text is the cause.
http::Response failure(int code, const std::string& why) {
  http::Response response = text_response(code, why + "\n");
  response.headers.set("x-go-pprof", "1");
  return response;
}

http::Response file(std::string_view name, std::string bytes) {
  http::Response response = text_response(200, std::move(bytes));
  response.headers.set("content-type", "application/octet-stream");
  response.headers.set("content-disposition", "attachment; filename=\"" + std::string(name) + "\"");
  return response;
}

std::string encode(const profile::Profile& profile) {
  profile::FunctionNames names(profile::loaded_code());
  return http::gzip(profile::encode_profile(profile, names));
}

int64_t read_seconds(const http::Target& target) {
  const std::string* text = target.find("seconds");
  if (text == nullptr) return kDefaultSeconds;
  int64_t seconds = 0;
  const auto [end, error] = std::from_chars(text->data(), text->data() + text->size(), seconds);
  const bool whole = error == std::errc() && end == text->data() + text->size();
  if (error == std::errc::result_out_of_range) return kMostSeconds + 1;
  return whole && seconds > 0 ? seconds : kDefaultSeconds;
}

// "0x55d0+0x55d8": "0x55d0 name" for each that is known.
std::string name_addresses(std::string_view list) {
  profile::FunctionNames names(profile::loaded_code());
  std::string text = "num_symbols: 1\n";
  size_t count = 0;
  while (!list.empty() && count++ < kMostAddresses) {
    const size_t end = std::min(list.find('+'), list.size());
    std::string_view word = list.substr(0, end);
    list.remove_prefix(std::min(end + 1, list.size()));
    const bool hex = word.starts_with("0x") || word.starts_with("0X");
    if (hex) word.remove_prefix(2);
    uint64_t address = 0;
    std::from_chars(word.data(), word.data() + word.size(), address, hex ? 16 : 10);
    const std::string_view name = address == 0 ? std::string_view() : names.name_of(address);
    if (name.empty()) continue;
    std::array<char, 16> digits{};
    const auto printed = std::to_chars(digits.data(), digits.data() + digits.size(), address, 16);
    text += "0x" + std::string(digits.data(), printed.ptr) + " " + std::string(name) + "\n";
  }
  return text;
}

}  // namespace profiling

std::optional<http::Response> ProfilingPaths::answer(const http::RequestHead&,
                                                     const http::Target& target) {
  const std::vector<std::string>& parts = target.segments;
  if (parts.size() < 2 || parts[0] != "debug" || parts[1] != "pprof") return std::nullopt;
  if (parts.size() == 2) {
    http::Response response;
    response.status = 302;
    response.headers = {{"location", "/debug/pprof/"}};
    return response;
  }
  if (parts.size() > 3 || !parts[2].empty()) return profiling::failure(404, "Unknown profile");
  http::Response response = text_response(200, std::string(profiling::kIndex));
  response.headers.set("content-type", "text/html; charset=utf-8");
  return response;
}

bool ProfilingPaths::takes_long(const http::Target& target) const {
  const auto name = profiling::name_of(target);
  return name == "profile" || name == "heap" || name == "symbol";
}

void ProfilingPaths::answer_long(const http::ExchangePtr& exchange, const http::Target& target) {
  const std::string_view name = *profiling::name_of(target);
  if (name == "profile") return profile_cpu(exchange, target);
  if (name == "heap") return exchange->respond(profile_heap(target));
  exchange->respond(text_response(200, profiling::name_addresses(target.raw_query)));
}

void ProfilingPaths::profile_cpu(const http::ExchangePtr& exchange, const http::Target& target) {
  const int64_t seconds = profiling::read_seconds(target);
  if (seconds > profiling::kMostSeconds) {
    return exchange->respond(profiling::failure(
        400, "seconds must be at most " + std::to_string(profiling::kMostSeconds)));
  }
  // The client left, or the server stops.
  std::stop_source gone;
  exchange->on_closed([gone]() mutable { gone.request_stop(); });
  exchange->on_draining([gone]() mutable { gone.request_stop(); });
  const Result<profile::Profile> profile =
      profile::collect_cpu_profile(std::chrono::seconds(seconds), clock_, gone.get_token());
  if (exchange->is_closed()) return;
  if (!profile) {
    return exchange->respond(
        profiling::failure(500, "Could not enable CPU profiling: " + profile.status().message()));
  }
  exchange->respond(profiling::file("profile", profiling::encode(*profile)));
}

http::Response ProfilingPaths::profile_heap(const http::Target& target) {
  const std::string* debug = target.find("debug");
  if (debug != nullptr && *debug != "0") {
    Result<std::string> dump = profile::dump_heap();
    return dump ? text_response(200, std::move(*dump))
                : profiling::failure(500, dump.status().message());
  }
  if (target.find("seconds") != nullptr)
    return profiling::failure(400, "\"seconds\" parameter is not supported for this profile type");
  const Result<profile::Profile> heap = profile::collect_heap_profile(clock_);
  if (!heap) return profiling::failure(500, heap.status().message());
  return profiling::file("heap", profiling::encode(*heap));
}

}  // namespace proa::apiserver
