// proa/hello:1: a web server for demos and tests. GET / tells the name of the machine (a pod's, in
// a pod), GET /healthz says ok. Listens on port 8080, or $PORT; writes a line a request; ends at
// once on SIGTERM and SIGINT. One thread: it never waits for a peer, and forgets those that are
// slow.

#include "freestanding.h"

enum {
  kMostConnections = 512,
  kMostHeadBytes = 2048,
  kMostLoggedPath = 128,
  kPatience = 10000,     // milliseconds in which a request must have come
  kLastPatience = 2000,  // in which a peer must have closed after the last answer
  kDefaultPort = 8080,
};

// Of the kernel's interface; the same on both processors.
enum {
  kInet = 2,
  kInet6 = 10,
  kStream = 1,
  kNonBlocking = 04000,
  kCloseOnExec = 02000000,
  kSocketLevel = 1,
  kReuseAddress = 2,
  kIpv6Level = 41,
  kIpv6Only = 26,
  kNoSignal = 0x4000,
  kShutWrite = 1,
  kPollIn = 1,
  kMonotonic = 1,
  kTryAgain = -11,
  kInterrupted = -4,
  kTooManyFiles = -24,
  kTooManyFilesInAll = -23,
};

struct PollEntry {
  int file;
  short wanted;
  short seen;
};

struct Address {
  unsigned short family;
  unsigned char port[2];
  union {
    unsigned char ipv4[4];
    unsigned char flow[4];
  };
  unsigned char ipv6[16];
  unsigned scope;
};

struct MachineNames {
  char system[65];
  char node[65];
  char others[4][65];
};

struct Text {
  char* at;
  char* end;
};

struct Connection {
  int socket;  // -1: free
  int last_answer_sent;
  unsigned used;
  long deadline;
  struct Address peer;
  char head[kMostHeadBytes];
};

static struct Connection connections[kMostConnections];
// Ours: the signals, the socket that takes connections, then the connections.
static struct PollEntry watched[kMostConnections + 2];
static struct MachineNames machine;

static size_t length_of(const char* text) {
  size_t length = 0;
  while (text[length] != 0) ++length;
  return length;
}

// What does not fit is left out.
static void put(struct Text* text, const char* more, size_t length) {
  for (size_t i = 0; i < length && text->at < text->end; ++i) *text->at++ = more[i];
}
static void put_text(struct Text* text, const char* more) { put(text, more, length_of(more)); }

static void put_number(struct Text* text, unsigned long number, unsigned base) {
  char digits[24];
  size_t begin = sizeof digits;
  do {
    digits[--begin] = "0123456789abcdef"[number % base];
    number /= base;
  } while (number != 0);
  put(text, digits + begin, sizeof digits - begin);
}

static void put_ipv4(struct Text* text, const unsigned char* bytes) {
  for (int i = 0; i < 4; ++i) {
    if (i > 0) put_text(text, ".");
    put_number(text, bytes[i], 10);
  }
}

static int is_mapped_ipv4(const unsigned char* bytes) {
  for (int i = 0; i < 10; ++i) {
    if (bytes[i] != 0) return 0;
  }
  return bytes[10] == 0xff && bytes[11] == 0xff;
}

static void put_address(struct Text* text, const struct Address* address) {
  if (address->family == kInet) {
    put_ipv4(text, address->ipv4);
  } else if (is_mapped_ipv4(address->ipv6)) {
    put_ipv4(text, address->ipv6 + 12);
  } else {
    for (int i = 0; i < 16; i += 2) {
      if (i > 0) put_text(text, ":");
      put_number(text, (unsigned long)(address->ipv6[i] << 8 | address->ipv6[i + 1]), 16);
    }
  }
}

static void write_all(int file, const char* text, size_t length) {
  while (length > 0) {
    const long written = call(__NR_write, file, (long)text, (long)length, 0, 0, 0);
    if (written == kInterrupted) continue;
    if (written <= 0) return;
    text += written;
    length -= (size_t)written;
  }
}

static void fail(const char* message) __attribute__((noreturn));
static void fail(const char* message) {
  write_all(2, "hello: ", 7);
  write_all(2, message, length_of(message));
  write_all(2, "\n", 1);
  leave(1);
}

static long now(void) {
  long time[2] = {0, 0};
  call(__NR_clock_gettime, kMonotonic, (long)time, 0, 0, 0, 0);
  return time[0] * 1000 + time[1] / 1000000;
}

static void close_connection(struct Connection* connection) {
  call(__NR_close, connection->socket, 0, 0, 0, 0, 0);
  connection->socket = -1;
}

// A peer that still sends would lose our last answer if we just closed.
static void finish(struct Connection* connection) {
  call(__NR_shutdown, connection->socket, kShutWrite, 0, 0, 0, 0);
  connection->last_answer_sent = 1;
  connection->deadline = now() + kLastPatience;
}

static char lower(char c) { return c >= 'A' && c <= 'Z' ? (char)(c + 32) : c; }

// Whether the text begins with a word in lower case, whatever its own case is.
static int begins_with(const char* text, const char* end, const char* word) {
  for (; *word != 0; ++word, ++text) {
    if (text == end || lower(*text) != *word) return 0;
  }
  return 1;
}

static int is_word(const char* text, size_t length, const char* word) {
  if (length_of(word) != length) return 0;
  for (size_t i = 0; i < length; ++i) {
    if (text[i] != word[i]) return 0;
  }
  return 1;
}

// The bytes up to the end of the empty line that ends a request's head; zero: not all is there.
static unsigned head_length(const struct Connection* connection) {
  for (unsigned i = 3; i < connection->used; ++i) {
    const char* at = connection->head + i;
    if (at[0] == '\n' && at[-1] == '\r' && at[-2] == '\n' && at[-3] == '\r') return i + 1;
  }
  return 0;
}

// Whether another request may follow: not in HTTP/1.0, nor where one asks for the end or sends a
// body, which we do not read.
static int may_go_on(const char* head, const char* end) {
  const char* line = head;
  while (line < end && *line != '\n') ++line;
  if (line - head < 9 || !begins_with(line - 9, end, "http/1.1")) return 0;
  while (line < end) {
    ++line;
    if (begins_with(line, end, "content-length:") && !begins_with(line, end, "content-length: 0\r"))
      return 0;
    if (begins_with(line, end, "transfer-encoding:")) return 0;
    if (begins_with(line, end, "connection: close")) return 0;
    while (line < end && *line != '\n') ++line;
  }
  return 1;
}

struct Request {
  const char* method;
  size_t method_length;
  const char* path;  // without what is asked of it
  size_t path_length;
};

static struct Request read_request(const char* head, const char* end) {
  struct Request request;
  const char* at = head;
  request.method = at;
  while (at < end && *at != ' ' && *at != '\r') ++at;
  request.method_length = (size_t)(at - head);
  if (at < end && *at == ' ') ++at;
  request.path = at;
  while (at < end && *at != ' ' && *at != '\r' && *at != '?') ++at;
  request.path_length = (size_t)(at - request.path);
  return request;
}

static void put_readable(struct Text* text, const char* bytes, size_t length) {
  for (size_t i = 0; i < length; ++i)
    put(text, bytes[i] > ' ' && bytes[i] < 127 ? bytes + i : "?", 1);
}

static void log_request(const struct Connection* connection, const struct Request* request,
                        const char* answer) {
  char line[512];
  struct Text text = {line, line + sizeof line - 1};
  put_address(&text, &connection->peer);
  put_text(&text, " ");
  put_readable(&text, request->method, request->method_length < 16 ? request->method_length : 16);
  put_text(&text, " ");
  put_readable(&text, request->path,
               request->path_length < kMostLoggedPath ? request->path_length : kMostLoggedPath);
  put_text(&text, " ");
  put(&text, answer, 3);
  *text.at++ = '\n';
  write_all(1, line, (size_t)(text.at - line));
}

static size_t body_for(const struct Request* request, const char** answer, char* body,
                       size_t most) {
  struct Text text = {body, body + most};
  const int reads = is_word(request->method, request->method_length, "GET") ||
                    is_word(request->method, request->method_length, "HEAD");
  *answer = "200 OK";
  if (!reads) {
    *answer = "405 Method Not Allowed";
    put_text(&text, "only GET and HEAD\n");
  } else if (is_word(request->path, request->path_length, "/")) {
    put_text(&text, "Hello from ");
    put_text(&text, machine.node);
    put_text(&text, ", run by Proa.\n");
  } else if (is_word(request->path, request->path_length, "/healthz")) {
    put_text(&text, "ok\n");
  } else {
    *answer = "404 Not Found";
    put_text(&text, "there is / and /healthz\n");
  }
  return (size_t)(text.at - body);
}

// An answer is far smaller than what a socket takes without waiting: whoever does not read his
// answers loses the connection.
static int send_answer(struct Connection* connection, const char* answer, const char* body,
                       size_t body_length, int without_body, int go_on) {
  char bytes[1024];
  struct Text text = {bytes, bytes + sizeof bytes};
  put_text(&text, "HTTP/1.1 ");
  put_text(&text, answer);
  put_text(&text, "\r\nContent-Type: text/plain; charset=utf-8\r\nContent-Length: ");
  put_number(&text, body_length, 10);
  if (answer[0] == '4' && answer[2] == '5') put_text(&text, "\r\nAllow: GET, HEAD");
  put_text(&text, go_on ? "\r\n\r\n" : "\r\nConnection: close\r\n\r\n");
  if (!without_body) put(&text, body, body_length);
  const long length = text.at - bytes;
  const long sent = call(__NR_sendto, connection->socket, (long)bytes, length, kNoSignal, 0, 0);
  if (sent != length) {
    close_connection(connection);
    return 0;
  }
  return 1;
}

static void answer_request(struct Connection* connection, unsigned length) {
  const char* end = connection->head + length;
  const struct Request request = read_request(connection->head, end);
  const int go_on = may_go_on(connection->head, end);
  char body[256];
  const char* answer;
  const size_t body_length = body_for(&request, &answer, body, sizeof body);
  log_request(connection, &request, answer);
  const int without_body = is_word(request.method, request.method_length, "HEAD");
  if (!send_answer(connection, answer, body, body_length, without_body, go_on)) return;
  if (!go_on) {
    finish(connection);
    return;
  }
  connection->deadline = now() + kPatience;
  connection->used -= length;
  for (unsigned i = 0; i < connection->used; ++i)
    connection->head[i] = connection->head[length + i];
}

static void serve(struct Connection* connection) {
  if (connection->last_answer_sent) connection->used = 0;
  const long got =
      call(__NR_recvfrom, connection->socket, (long)(connection->head + connection->used),
           kMostHeadBytes - connection->used, 0, 0, 0);
  if (got == kTryAgain || got == kInterrupted) return;
  if (got <= 0) {
    close_connection(connection);
    return;
  }
  if (connection->last_answer_sent) return;
  connection->used += (unsigned)got;
  unsigned length;
  while (connection->socket >= 0 && !connection->last_answer_sent &&
         (length = head_length(connection)) > 0) {
    answer_request(connection, length);
  }
  if (connection->socket >= 0 && !connection->last_answer_sent &&
      connection->used == kMostHeadBytes) {
    const char body[] = "too long\n";
    if (send_answer(connection, "431 Request Header Fields Too Large", body, sizeof body - 1, 0, 0))
      finish(connection);
  }
}

// Whoever would have to go first goes now; zero: nobody is there.
static int close_first(void) {
  struct Connection* first = 0;
  for (int i = 0; i < kMostConnections; ++i) {
    if (connections[i].socket < 0) continue;
    if (first == 0 || connections[i].deadline < first->deadline) first = &connections[i];
  }
  if (first == 0) return 0;
  close_connection(first);
  return 1;
}

static struct Connection* free_place(void) {
  for (;;) {
    for (int i = 0; i < kMostConnections; ++i) {
      if (connections[i].socket < 0) return &connections[i];
    }
    close_first();
  }
}

static void accept_all(int listener) {
  for (;;) {
    struct Address peer;
    unsigned length = sizeof peer;
    const long socket =
        call(__NR_accept4, listener, (long)&peer, (long)&length, kNonBlocking | kCloseOnExec, 0, 0);
    if (socket == kTooManyFiles || socket == kTooManyFilesInAll) {
      if (!close_first()) return;
      continue;
    }
    if (socket < 0) return;
    struct Connection* connection = free_place();
    connection->socket = (int)socket;
    connection->last_answer_sent = 0;
    connection->used = 0;
    connection->deadline = now() + kPatience;
    connection->peer = peer;
  }
}

static long wanted_port(char** environment) {
  for (; *environment != 0; ++environment) {
    const char* at = *environment;
    if (at[0] != 'P' || at[1] != 'O' || at[2] != 'R' || at[3] != 'T' || at[4] != '=') continue;
    long port = 0;
    for (at += 5; *at >= '0' && *at <= '9' && port < 65536; ++at) port = port * 10 + (*at - '0');
    if (*at != 0 || port < 1 || port > 65535) fail("PORT is to be a number from 1 to 65535");
    return port;
  }
  return kDefaultPort;
}

static int listen_on(long port) {
  const int one = 1;
  const int zero = 0;
  struct Address address;
  for (size_t i = 0; i < sizeof address; ++i) ((volatile char*)&address)[i] = 0;
  address.family = kInet6;
  long size = sizeof address;
  long socket = call(__NR_socket, kInet6, kStream | kNonBlocking | kCloseOnExec, 0, 0, 0, 0);
  if (socket >= 0) {
    // For both kinds of addresses.
    call(__NR_setsockopt, socket, kIpv6Level, kIpv6Only, (long)&zero, sizeof zero, 0);
  } else {
    address.family = kInet;
    size = 16;
    socket = call(__NR_socket, kInet, kStream | kNonBlocking | kCloseOnExec, 0, 0, 0, 0);
  }
  if (socket < 0) fail("no socket can be had");
  call(__NR_setsockopt, socket, kSocketLevel, kReuseAddress, (long)&one, sizeof one, 0);
  address.port[0] = (unsigned char)(port >> 8);
  address.port[1] = (unsigned char)port;
  if (call(__NR_bind, socket, (long)&address, size, 0, 0, 0) < 0) fail("the port is taken");
  if (call(__NR_listen, socket, 4096, 0, 0, 0, 0) < 0) fail("can't listen");
  return (int)socket;
}

// Milliseconds until the first deadline; -1: there is none. Closes what is late.
static long close_late(void) {
  const long time = now();
  long first = -1;
  for (int i = 0; i < kMostConnections; ++i) {
    if (connections[i].socket < 0) continue;
    const long rest = connections[i].deadline - time;
    if (rest <= 0) {
      close_connection(&connections[i]);
    } else if (first < 0 || rest < first) {
      first = rest;
    }
  }
  return first;
}

static void wait_for_work(void) {
  const long patience = close_late();
  for (int i = 0; i < kMostConnections; ++i) watched[i + 2].file = connections[i].socket;
  long time[2] = {patience / 1000, patience % 1000 * 1000000};
  call(__NR_ppoll, (long)watched, kMostConnections + 2, patience < 0 ? 0 : (long)time, 0, 0, 0);
}

static void program(long* stack) {
  char** environment = (char**)(stack + 1 + stack[0] + 1);
  const int listener = listen_on(wanted_port(environment));
  call(__NR_uname, (long)&machine, 0, 0, 0, 0, 0);
  const unsigned long ends = signal_bit(kSigInt) | signal_bit(kSigTerm);
  block_signals(&ends);
  watched[0].file = (int)call(__NR_signalfd4, -1, (long)&ends, kSignalSetBytes, kCloseOnExec, 0, 0);
  watched[1].file = listener;
  for (int i = 0; i < kMostConnections + 2; ++i) watched[i].wanted = kPollIn;
  for (int i = 0; i < kMostConnections; ++i) connections[i].socket = -1;
  for (;;) {
    wait_for_work();
    if (watched[0].seen != 0) leave(0);
    for (int i = 0; i < kMostConnections; ++i) {
      if (watched[i + 2].file >= 0 && watched[i + 2].seen != 0) serve(&connections[i]);
    }
    if (watched[1].seen != 0) accept_all(listener);
  }
}
