package redact

import (
	"bufio"
	"bytes"
	"path"
	"strings"
)

// secretFiles hold one secret each, or one in each line, and nothing else.
var secretFiles = setOf(`token node-token agent-token server-token cluster-token join-token bootstrap-token
	passwd password node-password .pgpass client-secret client_secret`)

// isSecretFile tells of files whose whole content is secret.
func (p *pass) isSecretFile() bool {
	dir, base := path.Split(p.path)
	if dir == "" || strings.HasPrefix(p.path, "logs/") {
		return false
	}
	base = strings.TrimSuffix(base, ".txt")
	return secretFiles[base] || strings.HasSuffix(base, ".token") || strings.HasSuffix(base, ".jwt")
}

// lines replaces the lines that are whole, and begins to swallow one that is
// longer than the window.
func (s *scan) lines(out *bufio.Writer) error {
	for s.done < len(s.b) {
		if s.swallow != nil {
			if more, err := s.absorb(out); more || err != nil {
				return err
			}
			continue
		}
		i := skipSpaceLines(s.b, s.done)
		end := lineEnd(s.b, i)
		if end == len(s.b) && !s.eof {
			if s.done <= s.context && len(s.b) >= s.window {
				s.engulf(i, "token", func(b []byte, i int) (int, bool) {
					n := lineEnd(b, i)
					return n, n < len(b)
				})
				continue
			}
			return nil
		}
		if text := bytes.TrimRight(s.b[i:end], " \t"); len(text) > 0 && !isPlaceholder(text) {
			s.add(i, i+len(text), "token", text)
			if first, _, ok := bytes.Cut(text, []byte(",")); ok {
				s.learn("token", first)
			}
		}
		s.looked = len(s.b) // known values are part of what is replaced
		if err := s.write(out, end); err != nil {
			return err
		}
		if end == len(s.b) {
			return nil
		}
	}
	return nil
}
