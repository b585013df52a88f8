#include "http/wire/http1_parser.h"

#include <gtest/gtest.h>

#include "base/random.h"

namespace proa::http {
namespace http1_parser_test {

// Writes down what happens, one line an event.
struct Record final : Http1Parser::Events {
  void on_request(RequestHead head) override {
    text += head.method + " " + head.target + " at " + head.authority;
    if (head.version == Version::kHttp10) text += " (1.0)";
    append(head.headers);
    last_request = std::move(head);
  }
  void on_response(ResponseHead head) override {
    text += std::to_string(head.status);
    append(head.headers);
  }
  void on_body(std::string_view bytes) override { body += bytes; }
  void on_message_end(Headers trailers) override {
    text += "[" + std::exchange(body, {}) + "]";
    append(trailers);
  }
  void append(const Headers& headers) {
    for (const auto& [name, value] : headers) {
      if (name != "host") text += " " + name + "=" + value;
    }
    text += ";";
  }

  std::string text;
  std::string body;
  RequestHead last_request;
};

// Feeds the messages in pieces that `next_piece` chooses, as a connection would. Returns the
// events, and the error if there was one.
template <typename NextPiece>
std::string parse(Http1Parser::Kind kind, std::string_view input, Http1Limits limits,
                  NextPiece next_piece) {
  Record record;
  Http1Parser parser(kind, limits, record);
  std::string pending;
  while (true) {
    auto taken = parser.feed(pending);
    if (!taken.ok()) return record.text + record.body + "!" + std::to_string(taken.status().code());
    pending.erase(0, *taken);
    if (parser.message_done()) {
      parser.next_message();
      continue;
    }
    if (*taken > 0 && !pending.empty()) continue;
    if (input.empty()) break;
    const size_t size = std::min<size_t>(input.size(), next_piece());
    pending.append(input.substr(0, size));
    input.remove_prefix(size);
  }
  if (parser.in_message()) {
    if (!parser.feed_end().ok()) return record.text + record.body + "!cut";
  }
  return record.text;
}

std::string requests(std::string_view input, Http1Limits limits = {}) {
  return parse(Http1Parser::Kind::kRequests, input, limits, [] { return SIZE_MAX; });
}

std::string responses(std::string_view input) {
  return parse(Http1Parser::Kind::kResponses, input, {}, [] { return SIZE_MAX; });
}

TEST(Http1Parser, ReadsRequestsOneAfterTheOther) {
  EXPECT_EQ(requests("GET /a HTTP/1.1\r\nHost: h\r\nX-A: 1\r\n\r\n"
                     "POST /b?c=d HTTP/1.1\r\nHost: h\r\nContent-Length: 3\r\n\r\nabc"
                     "PUT /e HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: "
                     "chunked\r\n\r\n2\r\nab\r\n1\r\nc\r\n0\r\n\r\n"
                     "GET /f HTTP/1.0\r\n\r\n"),
            "GET /a at h x-a=1;[];POST /b?c=d at h content-length=3;[abc];"
            "PUT /e at h transfer-encoding=chunked;[abc];GET /f at  (1.0);[];");
}

TEST(Http1Parser, TakesNoneOfTheNextMessage) {
  Record record;
  Http1Parser parser(Http1Parser::Kind::kRequests, {}, record);
  const std::string first = "POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 2\r\n\r\nab";
  const auto taken = parser.feed(first + "GET / HTTP/1.1\r\n");
  ASSERT_TRUE(taken.ok());
  EXPECT_EQ(*taken, first.size());
  EXPECT_TRUE(parser.message_done());
  EXPECT_FALSE(parser.in_message());
  EXPECT_EQ(*parser.feed("GET / HTTP/1.1\r\n"), 0U);
}

TEST(Http1Parser, KnowsWhatHappensToTheConnection) {
  struct Case {
    std::string_view head;
    bool keep_alive;
    bool upgrade;
    bool expects_continue;
  };
  for (const auto& c :
       {Case{"GET / HTTP/1.1\r\nHost: h\r\n\r\n", true, false, false},
        Case{"GET / HTTP/1.1\r\nHost: h\r\nConnection: CLOSE\r\n\r\n", false, false, false},
        Case{"GET / HTTP/1.0\r\n\r\n", false, false, false},
        Case{"GET / HTTP/1.0\r\nConnection: Keep-Alive\r\n\r\n", true, false, false},
        Case{"GET / HTTP/1.1\r\nHost: h\r\nConnection: keep-alive, Upgrade\r\nUpgrade: x\r\n\r\n",
             true, true, false},
        Case{"PUT / HTTP/1.1\r\nHost: h\r\nContent-Length: 1\r\nExpect: 100-Continue\r\n\r\n", true,
             false, true},
        Case{"PUT / HTTP/1.0\r\nContent-Length: 1\r\nExpect: 100-continue\r\n\r\n", false, false,
             false}}) {
    SCOPED_TRACE(c.head);
    Record record;
    Http1Parser parser(Http1Parser::Kind::kRequests, {}, record);
    ASSERT_TRUE(parser.feed(c.head).ok());
    EXPECT_EQ(parser.keep_alive(), c.keep_alive);
    EXPECT_EQ(parser.upgrade(), c.upgrade);
    EXPECT_EQ(parser.expects_continue(), c.expects_continue);
  }
}

TEST(Http1Parser, BringsRequestTargetsToOneForm) {
  struct Case {
    std::string_view line;
    std::string_view outcome;
  };
  for (const auto& c :
       {Case{"GET /p?q=1 HTTP/1.1", "GET /p?q=1 at h;[];"},
        Case{"GET http://other:81/p?q HTTP/1.1", "GET /p?q at other:81;[];"},
        Case{"GET HTTPS://other HTTP/1.1", "GET / at other;[];"},
        Case{"GET http://other?q HTTP/1.1", "GET /?q at other;[];"},
        Case{"OPTIONS * HTTP/1.1", "OPTIONS * at h;[];"},
        Case{"CONNECT other:443 HTTP/1.1", "CONNECT other:443 at h;[];"},
        Case{"get / HTTP/1.1", "get / at h;[];"},
        Case{"M-SEARCH / HTTP/1.1", "M-SEARCH / at h;[];"}, Case{"GET * HTTP/1.1", "!400"},
        Case{"GET p HTTP/1.1", "!400"}, Case{"GET http:///p HTTP/1.1", "!400"},
        Case{"GET http://user@other/ HTTP/1.1", "!400"},
        Case{"GET file:///etc/passwd HTTP/1.1", "!400"}}) {
    SCOPED_TRACE(c.line);
    EXPECT_EQ(requests(std::string(c.line) + "\r\nHost: h\r\n\r\n"), c.outcome);
  }
}

struct Bad {
  std::string_view name;
  std::string input;
};

std::string with(std::string_view fields, std::string_view body = "") {
  return "POST / HTTP/1.1\r\nHost: h\r\n" + std::string(fields) + "\r\n" + std::string(body);
}

const std::vector<Bad>& smuggled() {
  static const std::vector<Bad> cases = {
      {"length and coding",
       with("Content-Length: 5\r\nTransfer-Encoding: chunked\r\n", "0\r\n\r\n")},
      {"coding and length",
       with("Transfer-Encoding: chunked\r\nContent-Length: 5\r\n", "0\r\n\r\n")},
      {"two lengths", with("Content-Length: 5\r\nContent-Length: 6\r\n", "hello")},
      {"the same length twice", with("Content-Length: 5\r\nContent-Length: 5\r\n", "hello")},
      {"a list of lengths", with("Content-Length: 5, 5\r\n", "hello")},
      {"negative length", with("Content-Length: -5\r\n")},
      {"signed length", with("Content-Length: +5\r\n", "hello")},
      {"huge length", with("Content-Length: 99999999999999999999999\r\n")},
      {"hexadecimal length", with("Content-Length: 0x5\r\n", "hello")},
      {"empty length", with("Content-Length:\r\n")},
      {"length with a space", with("Content-Length: 5 5\r\n", "hello")},
      {"unknown coding", with("Transfer-Encoding: xchunked\r\n", "0\r\n\r\n")},
      {"identity", with("Transfer-Encoding: identity\r\n")},
      {"chunked twice", with("Transfer-Encoding: chunked, chunked\r\n", "0\r\n\r\n")},
      {"compressed chunks", with("Transfer-Encoding: gzip, chunked\r\n", "0\r\n\r\n")},
      {"chunked first", with("Transfer-Encoding: chunked, identity\r\n", "0\r\n\r\n")},
      {"two coding fields",
       with("Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n", "0\r\n\r\n")},
      {"quoted coding", with("Transfer-Encoding: \"chunked\"\r\n", "0\r\n\r\n")},
      {"coding with a vertical tab", with("Transfer-Encoding: \x0b"
                                          "chunked\r\n",
                                          "0\r\n\r\n")},
      {"coding with parameter", with("Transfer-Encoding: chunked;a=b\r\n", "0\r\n\r\n")},
      {"coding in HTTP/1.0", "POST / HTTP/1.0\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n"},
      {"space before the colon", with("Transfer-Encoding : chunked\r\n", "0\r\n\r\n")},
      {"tab before the colon", with("Content-Length\t: 5\r\n", "hello")},
      {"folded field", with("X-A: b\r\n c\r\n")},
      {"folded with a tab", with("X-A: b\r\n\tc\r\n")},
      {"folded first field", "GET / HTTP/1.1\r\n Host: h\r\n\r\n"},
      {"bare line feed in a field", with("X-A: b\nContent-Length: 5\r\n", "hello")},
      {"bare line feed behind the request line", "GET / HTTP/1.1\nHost: h\r\n\r\n"},
      {"bare carriage return", with("X-A: b\rContent-Length: 5\r\n", "hello")},
      {"NUL in a value", with(std::string_view("X-A: b\0c\r\n", 10))},
      {"NUL in a name", with(std::string_view("X\0A: b\r\n", 8))},
      {"control character in a value", with("X-A: b\x01\r\n")},
      {"DEL in a value", with("X-A: b\x7f\r\n")},
      {"empty name", with(": b\r\n")},
      {"no colon", with("X-A\r\n")},
      {"space in a name", with("X A: b\r\n")},
      {"no Host", "GET / HTTP/1.1\r\n\r\n"},
      {"two Hosts", "GET / HTTP/1.1\r\nHost: a\r\nHost: a\r\n\r\n"},
      {"HTTP/0.9", "GET /\r\n\r\n"},
      {"version cut short", "GET / H0\r\n\r\n.1\r\nHost: h\r\n\r\n"},
      {"HTTP/1.2", "GET / HTTP/1.2\r\nHost: h\r\n\r\n"},
      {"HTTP/2.0", "GET / HTTP/2.0\r\nHost: h\r\n\r\n"},
      {"HTTP/1.10", "GET / HTTP/1.10\r\nHost: h\r\n\r\n"},
      {"lower case version", "GET / http/1.1\r\nHost: h\r\n\r\n"},
      {"two spaces", "GET  / HTTP/1.1\r\nHost: h\r\n\r\n"},
      {"space in the target", "GET /a b HTTP/1.1\r\nHost: h\r\n\r\n"},
      {"tab as separator", "GET\t/ HTTP/1.1\r\nHost: h\r\n\r\n"},
      {"no method", " / HTTP/1.1\r\nHost: h\r\n\r\n"},
      {"brackets in the method", "G[]T / HTTP/1.1\r\nHost: h\r\n\r\n"},
      {"control character in the target", "GET /\x01 HTTP/1.1\r\nHost: h\r\n\r\n"},
      {"TLS", std::string("\x16\x03\x01\x02\x00\x01\r\n\r\n", 10)},
      {"chunk size overflow", with("Transfer-Encoding: chunked\r\n", "10000000000000000\r\nx")},
      {"chunk size with a prefix", with("Transfer-Encoding: chunked\r\n", "0x1\r\nx\r\n0\r\n\r\n")},
      {"signed chunk size", with("Transfer-Encoding: chunked\r\n", "+1\r\nx\r\n0\r\n\r\n")},
      {"negative chunk size", with("Transfer-Encoding: chunked\r\n", "-1\r\nx\r\n0\r\n\r\n")},
      {"empty chunk size", with("Transfer-Encoding: chunked\r\n", "\r\nx\r\n0\r\n\r\n")},
      {"chunk without its line end", with("Transfer-Encoding: chunked\r\n", "1\r\nxy0\r\n\r\n")},
      {"chunk size behind a bare line feed",
       with("Transfer-Encoding: chunked\r\n", "1\nx\r\n0\r\n\r\n")},
      {"chunk extension with a bare line feed",
       with("Transfer-Encoding: chunked\r\n", "1;a\nb\r\nx\r\n0\r\n\r\n")},
      {"length in a trailer",
       with("Transfer-Encoding: chunked\r\n", "0\r\nContent-Length: 5\r\n\r\n")},
  };
  return cases;
}

TEST(Http1Parser, RefusesWhatTwoParsersCouldReadDifferently) {
  for (const auto& c : smuggled()) {
    SCOPED_TRACE(c.name);
    const std::string outcome = requests(c.input);
    EXPECT_TRUE(outcome.ends_with("!400")) << outcome;
    // The one that would be taken for a request of its own.
    EXPECT_EQ(outcome.find("[hello]"), std::string::npos) << outcome;
  }
}

TEST(Http1Parser, BoundsTheHead) {
  const Http1Limits limits{1000, 10};
  const std::string line = "GET / HTTP/1.1\r\nHost: h\r\n";
  std::string fields;
  for (int i = 0; i < 9; ++i) fields += "X-" + std::to_string(i) + ": 1\r\n";
  EXPECT_EQ(requests(line + fields + "\r\n", limits).find('!'), std::string::npos);
  EXPECT_EQ(requests(line + fields + "X-Too: many\r\n\r\n", limits), "!431");
  EXPECT_EQ(requests(line + "X: " + std::string(1000, 'x') + "\r\n\r\n", limits), "!431");
  EXPECT_EQ(requests("GET /" + std::string(1000, 'x'), limits), "!431");
  EXPECT_EQ(requests(std::string(1001, 'x'), limits), "!431");
  EXPECT_EQ(requests(line + "X: " + std::string(65 * 1024, 'x')), "!431");
  EXPECT_EQ(requests(line + "X: " + std::string(60 * 1024, 'x') + "\r\n\r\n").find('!'),
            std::string::npos);
}

TEST(Http1Parser, BoundsChunkHeadsAndTrailers) {
  const std::string head = with("Transfer-Encoding: chunked\r\n");
  EXPECT_TRUE(requests(head + "1;" + std::string(100'000, 'x')).ends_with("!400"));
  EXPECT_TRUE(requests(head + std::string(100'000, '0')).ends_with("!400"));
  EXPECT_TRUE(requests(head + "0\r\nX: " + std::string(100'000, 'x')).ends_with("!400"));
  std::string trailers;
  for (int i = 0; i < 200; ++i) trailers += "X: 1\r\n";
  EXPECT_TRUE(requests(head + "0\r\n" + trailers + "\r\n").ends_with("!431"));
}

TEST(Http1Parser, WaitsForTheRestOfALastChunkThatDrips) {
  Record record;
  Http1Parser parser(Http1Parser::Kind::kRequests, {}, record);
  const std::string head = with("Transfer-Encoding: chunked\r\n");
  ASSERT_EQ(*parser.feed(head), head.size());
  for (const std::string_view part : {"0", "0\r", "0\r\n", "0\r\n\r"})
    EXPECT_EQ(*parser.feed(part), 0U);
  EXPECT_EQ(*parser.feed("0\r\n\r\n"), 5U);
  EXPECT_TRUE(parser.message_done());
}

TEST(Http1Parser, PassesOverEmptyLinesBeforeARequest) {
  EXPECT_EQ(requests("\r\n\r\nGET / HTTP/1.1\r\nHost: h\r\n\r\n\r\n"), "GET / at h;[];");
}

// Its client waits for an answer, and knows by one in plain text that there is no TLS here.
TEST(Http1Parser, RefusesATlsHandshakeAtItsFirstByte) {
  EXPECT_EQ(requests("\x16"), "!400");
  EXPECT_EQ(requests(std::string_view("\x16\x03\x01\x02\x00\x01", 6)), "!400");
  EXPECT_EQ(requests("GET /a HTTP/1.1\r\nHost: h\r\n\r\n\x16"), "GET /a at h;[];!400");
  EXPECT_EQ(responses("\x15\x03\x01"), "!400");
}

TEST(Http1Parser, ReadsResponses) {
  EXPECT_EQ(responses("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nabHTTP/1.1 404 "
                      "\r\nContent-Length: 0\r\n\r\n"),
            "200 content-length=2;[ab];404 content-length=0;[];");
  EXPECT_EQ(
      responses("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1\r\na\r\n0\r\nX: y\r\n\r\n"),
      "200 transfer-encoding=chunked;[a] x=y;");
  EXPECT_EQ(responses("HTTP/1.1 204 No Content\r\n\r\nHTTP/1.1 200 OK\r\n\r\nuntil the end"),
            "204;[];200;[until the end];");
  EXPECT_EQ(responses("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nab"),
            "200 content-length=5;ab!cut");
  EXPECT_EQ(responses("HTTP/1.1 200 OK\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n"),
            "!400");
  EXPECT_EQ(responses("HTTP/1.1 20 OK\r\n\r\n"), "!400");
}

TEST(Http1Parser, ReadsResponsesWithBareLineFeeds) {
  struct Case {
    std::string_view input;
    std::string_view seen;
  };
  for (const auto& [input, seen] : {
           Case{"HTTP/1.1 200 OK\r\nContent-Type: text/plain\n\nhello\n",
                "200 content-type=text/plain;[hello\n];"},
           Case{"HTTP/1.1 200 OK\nContent-Length: 2\n\nabHTTP/1.1 404 No\nContent-Length: 0\r\n\n",
                "200 content-length=2;[ab];404 content-length=0;[];"},
           Case{"HTTP/1.0 200 OK\nA: b\n\r\n\r\n\r\n", "200 a=b;[\r\n\r\n];"},
           // What is refused with full line ends is refused with these.
           Case{"HTTP/1.1 200 OK\nA: b\n c\n\n", "!400"},
           Case{"HTTP/1.1 200 OK\nContent-Length: 1\nContent-Length: 2\n\nab", "!400"},
           Case{"HTTP/1.1 200 OK\nA: b\rc\n\n", "!400"},
           Case{"HTTP/1.1 200 OK\nA: b\r\r\n\n", "!400"},
       }) {
    SCOPED_TRACE(input);
    EXPECT_EQ(responses(input), seen);
    EXPECT_EQ(parse(Http1Parser::Kind::kResponses, input, {}, [] { return 1; }), seen);
  }
}

TEST(Http1Parser, SkipsTheBodyOfAnswersToHead) {
  Record record;
  Http1Parser parser(Http1Parser::Kind::kResponses, {}, record);
  parser.next_message(true);
  const std::string_view head = "HTTP/1.1 200 OK\r\nContent-Length: 500\r\n\r\n";
  EXPECT_EQ(*parser.feed(head), head.size());
  EXPECT_TRUE(parser.message_done());
}

TEST(Http1Parser, FailsWhenTheConnectionEndsInTheMiddle) {
  for (const std::string_view part :
       {"", "GET /", "POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 5\r\n\r\nab",
        "POST / HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n1\r\na\r\n"}) {
    SCOPED_TRACE(part);
    Record record;
    Http1Parser parser(Http1Parser::Kind::kRequests, {}, record);
    ASSERT_TRUE(parser.feed(part).ok());
    EXPECT_FALSE(parser.feed_end().ok());
  }
}

TEST(Http1Parser, SeesTheSameHoweverTheBytesAreSplit) {
  std::vector<std::string> inputs = {
      "\r\nGET / HTTP/1.1\r\nHost: h\r\n\r\n\r\nPOST / HTTP/1.1\r\nHost: h\r\nContent-Length: "
      "3\r\n\r\nabc",
      with("Transfer-Encoding: chunked\r\n", "3;x=\"y\"\r\nabc\r\n2\r\nde\r\n0\r\nA: b\r\n\r\n") +
          with("Content-Length: 1\r\n", "z"),
  };
  for (const auto& bad : smuggled()) inputs.push_back(bad.input);
  SeededRandom random(1);
  for (const auto& input : inputs) {
    SCOPED_TRACE(input);
    const std::string whole = requests(input);
    EXPECT_EQ(parse(Http1Parser::Kind::kRequests, input, {}, [] { return 1; }), whole);
    for (int i = 0; i < 20; ++i) {
      EXPECT_EQ(parse(Http1Parser::Kind::kRequests, input, {}, [&] { return 1 + random.below(8); }),
                whole);
    }
  }
}

TEST(PrintHead, PrintsWhatTheParserReads) {
  RequestHead request;
  request.method = "GET";
  request.target = "/a";
  request.authority = "h:1";
  request.headers = {{"X-A", "b"}};
  EXPECT_EQ(print_request_head(request), "GET /a HTTP/1.1\r\nhost: h:1\r\nx-a: b\r\n\r\n");
  EXPECT_EQ(print_response_head({404, {{"a", "b"}}}, Version::kHttp10),
            "HTTP/1.0 404 Not Found\r\na: b\r\n\r\n");
  EXPECT_EQ(print_chunk_size(500), "1f4\r\n");
  EXPECT_EQ(print_last_chunk({{"a", "b"}}), "0\r\na: b\r\n\r\n");
}

TEST(PrintHead, LetsNoValueBeginALine) {
  const std::string head =
      print_response_head({302, {{"location", "/\r\nset-cookie: a=b"}}}, Version::kHttp11);
  EXPECT_EQ(head, "HTTP/1.1 302 Found\r\nlocation: /  set-cookie: a=b\r\n\r\n");
}

}  // namespace http1_parser_test
}  // namespace proa::http
