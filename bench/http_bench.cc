// HTTP echo of 1 kB over TLS, beside nghttpd and nginx in the same run, which only hand out a file
// or a text of 1 kB: less work than an echo. h2load is the client for all.
#include <fmt/format.h>

#include <algorithm>
#include <csignal>
#include <cstring>
#include <fstream>
#include <optional>
#include <string>
#include <vector>

#include "testkit/http/test_server.h"
#include "testkit/process.h"

namespace proa {
namespace {

struct Load {
  bool http2;
  bool echo;
  int connections;
  int requests;
};

struct Figures {
  double per_second = 0;
  long p50_micros = 0;
  long p99_micros = 0;
};

// h2load logs a line a request: when it began (microseconds), its status, how long it took.
std::optional<Figures> read_log(const std::string& path, int expected) {
  std::ifstream log(path);
  std::vector<long> times;
  long first = 0;
  long last = 0;
  long begun = 0;
  long status = 0;
  long micros = 0;
  while (log >> begun >> status >> micros) {
    if (status != 200) return std::nullopt;
    if (times.empty() || begun < first) first = begun;
    last = std::max(last, begun + micros);
    times.push_back(micros);
  }
  if (static_cast<int>(times.size()) != expected) return std::nullopt;
  std::ranges::sort(times);
  Figures figures;
  figures.per_second =
      static_cast<double>(times.size()) * 1e6 / static_cast<double>(std::max(last - first, 1L));
  figures.p50_micros = times[times.size() / 2];
  figures.p99_micros = times[times.size() * 99 / 100];
  return figures;
}

std::optional<Figures> run(const testkit::TempDir& directory, const Load& load, int port) {
  const std::string log = directory.file("log");
  std::remove(log.c_str());
  std::vector<std::string> arguments{"h2load",
                                     "-n",
                                     std::to_string(load.requests),
                                     "-c",
                                     std::to_string(load.connections),
                                     "-m",
                                     load.http2 ? "10" : "1",
                                     "--log-file=" + log};
  if (load.echo) arguments.insert(arguments.end(), {"-d", directory.file("body")});
  if (!load.http2) arguments.emplace_back("--h1");
  arguments.push_back("https://127.0.0.1:" + std::to_string(port) + "/body");
  if (testkit::Process(arguments).wait() != 0) return std::nullopt;
  return read_log(log, load.requests);
}

// The better of two: the machine's mood is not what is measured.
std::optional<Figures> best_of_two(const testkit::TempDir& directory, const Load& load, int port) {
  const auto first = run(directory, load, port);
  const auto second = run(directory, load, port);
  if (!first || !second) return std::nullopt;
  return first->per_second > second->per_second ? first : second;
}

void print(std::string_view name, const Load& load, const std::optional<Figures>& figures) {
  if (!figures)
    return fmt::print("{:<14} {:<8} {:>5}   failed\n", name, load.http2 ? "HTTP/2" : "HTTP/1.1",
                      load.connections);
  fmt::print("{:<14} {:<8} {:>5} {:>12.0f} {:>9} {:>9}\n", name, load.http2 ? "HTTP/2" : "HTTP/1.1",
             load.connections, figures->per_second, figures->p50_micros, figures->p99_micros);
}

std::string nginx_config(const testkit::TempDir& directory, int port, const std::string& key,
                         const std::string& certificate) {
  return fmt::format(R"(
worker_processes 2; daemon off; pid {0}/nginx.pid; error_log stderr;
events {{ worker_connections 1024; }}
http {{
  access_log off; client_body_temp_path {0}; proxy_temp_path {0}; fastcgi_temp_path {0}; uwsgi_temp_path {0};
  scgi_temp_path {0}; keepalive_requests 10000000;
  server {{
    listen 127.0.0.1:{1} ssl http2; ssl_certificate {3}; ssl_certificate_key {2};
    location / {{ return 200 "{4}"; }}
  }}
}}
)",
                     directory.path(), port, key, certificate, std::string(1024, 'x'));
}

int run_all(bool quick) {
  for (const char* program : {"h2load", "nghttpd", "nginx"}) {
    if (testkit::has_program(program)) continue;
    fmt::print("{} is missing: packaging/install-deps brings it\n", program);
    return 1;
  }
  const testkit::TempDir directory;
  directory.write("body", std::string(1024, 'x'));
  const std::string key = directory.write("key.pem", testkit::test_server_key().private_key_pem);
  const std::string certificate =
      directory.write("cert.pem", testkit::test_server_key().certificate_pem);

  testkit::TestServer ours(testkit::echo);
  const int nghttpd_port = testkit::free_port();
  const testkit::Process nghttpd(
      {"nghttpd", "-n2", "-d", directory.path(), std::to_string(nghttpd_port), key, certificate});
  const int nginx_port = testkit::free_port();
  const std::string config =
      directory.write("nginx.conf", nginx_config(directory, nginx_port, key, certificate));
  testkit::Process nginx({"nginx", "-p", directory.path(), "-c", config},
                         directory.file("nginx.log"));
  if (!testkit::wait_for_port(nghttpd_port) || !testkit::wait_for_port(nginx_port)) return 1;

  fmt::print(
      "1 kB over TLS, server and client on the same cores; HTTP/2 with 10 streams a connection\n");
  fmt::print("{:<14} {:<8} {:>5} {:>12} {:>9} {:>9}\n", "server", "protocol", "conns", "requests/s",
             "p50 us", "p99 us");
  const int requests = quick ? 10'000 : 100'000;
  double worst = 1e9;
  for (const int connections : {1, 64, 256}) {
    const Load http1{false, true, connections, connections == 1 ? requests / 4 : requests};
    print("proa echo", http1, best_of_two(directory, http1, ours.port()));
    const auto echo = best_of_two(directory, {true, true, connections, requests}, ours.port());
    const Load get{true, false, connections, requests};
    print("proa echo", get, echo);
    const auto file = best_of_two(directory, get, nghttpd_port);
    print("nghttpd file", get, file);
    const auto text = best_of_two(directory, get, nginx_port);
    print("nginx text", get, text);
    if (!echo || !file || !text) return 1;
    worst = std::min(worst, echo->per_second / std::max(file->per_second, text->per_second));
  }
  nginx.signal(SIGTERM);  // killed, it would leave its workers behind
  nginx.wait();
  fmt::print(
      "HTTP/2 echo / the better of nghttpd and nginx, at worst: {:.2f}  (goal: at least 0.50: "
      "{})\n",
      worst, worst >= 0.5 ? "reached" : "MISSED");
  return 0;
}

}  // namespace
}  // namespace proa

int main(int argc, char** argv) {
  return proa::run_all(argc > 1 && std::strcmp(argv[1], "--quick") == 0);
}
