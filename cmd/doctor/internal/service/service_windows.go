package service

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"os"
	"sync"
	"time"

	"doctor/collectors/hostprocess"
	"golang.org/x/sys/windows"
	"golang.org/x/sys/windows/svc"
	"golang.org/x/sys/windows/svc/eventlog"
	"golang.org/x/sys/windows/svc/mgr"
)

const (
	restartAfter = time.Minute
	forgetAfter  = 24 * 60 * 60 // seconds without an end, after which ends count from one again
	stopWithin   = 30 * time.Second
	eventID      = 1 // the one event that EventCreate.exe has a text for
)

// Install makes the service that runs the program with the arguments, and starts it.
func Install(exe string, args []string) error {
	if hostprocess.Mount() != "" {
		return errors.New("this is a container, whose files go with it; copy doctor.exe to the node, " +
			"and install the service from there")
	}
	m, err := manager()
	if err != nil {
		return err
	}
	defer m.Disconnect()
	s, err := m.CreateService(Name, exe, mgr.Config{
		StartType: mgr.StartAutomatic, DisplayName: "doctor watch",
		Description: "Watches this Kubernetes node, and writes a bundle with the minutes before a fault.",
	}, args...)
	switch {
	case errors.Is(err, windows.ERROR_SERVICE_EXISTS):
		return fmt.Errorf("the service %s exists; `doctor watch uninstall` takes it away", Name)
	case err != nil:
		return fmt.Errorf("making the service %s: %w", Name, err)
	}
	defer s.Close()
	if err = restarts(s); err == nil {
		err = eventlog.InstallAsEventCreate(Name, eventlog.Info|eventlog.Warning)
	}
	if err == nil {
		err = s.Start()
	}
	if err != nil { // what is there would only look installed
		return errors.Join(fmt.Errorf("starting the service %s: %w", Name, err), s.Delete(), removeSource())
	}
	return nil
}

// restarts has the service started again when it ends by itself, with an error or in a crash.
func restarts(s *mgr.Service) error {
	actions := []mgr.RecoveryAction{{Type: mgr.ServiceRestart, Delay: restartAfter}}
	err := s.SetRecoveryActions(actions, forgetAfter)
	if err == nil {
		err = s.SetRecoveryActionsOnNonCrashFailures(true)
	}
	if errors.Is(err, windows.ERROR_INVALID_LEVEL) { // Wine's manager knows no recovery
		return nil
	}
	return err
}

// Uninstall stops the service and takes it away.
func Uninstall() error {
	m, err := manager()
	if err != nil {
		return err
	}
	defer m.Disconnect()
	s, err := m.OpenService(Name)
	if errors.Is(err, windows.ERROR_SERVICE_DOES_NOT_EXIST) {
		return fmt.Errorf("there is no service %s", Name)
	}
	if err != nil {
		return fmt.Errorf("opening the service %s: %w", Name, err)
	}
	defer s.Close()
	status, err := s.Control(svc.Stop)
	for end := time.Now().Add(stopWithin); err == nil && status.State != svc.Stopped; {
		if time.Now().After(end) {
			err = fmt.Errorf("it does not end; end process %d, and try again", status.ProcessId)
			break
		}
		time.Sleep(100 * time.Millisecond)
		status, err = s.Query()
	}
	if err != nil && !errors.Is(err, windows.ERROR_SERVICE_NOT_ACTIVE) {
		return fmt.Errorf("stopping the service %s: %w", Name, err)
	}
	return errors.Join(s.Delete(), removeSource())
}

func manager() (*mgr.Mgr, error) {
	m, err := mgr.Connect()
	if errors.Is(err, windows.ERROR_ACCESS_DENIED) {
		return nil, errors.New("only Administrators may install services; start an elevated prompt")
	}
	return m, err
}

// removeSource takes the source of events away, where it is there.
func removeSource() error {
	if err := eventlog.Remove(Name); err != nil && !errors.Is(err, windows.ERROR_FILE_NOT_FOUND) {
		return err
	}
	return nil
}

// Run runs the program as the service that Windows started. What it writes becomes events, and a
// stop of the service ends its context.
func Run(run func(ctx context.Context, out, messages *os.File) error) error {
	log, err := eventlog.Open(Name)
	if err != nil {
		return err
	}
	defer log.Close()
	h := &handler{run: func(ctx context.Context) error {
		out, outEnds := events(log.Info)
		messages, messagesEnd := events(log.Warning)
		err := run(ctx, out, messages)
		if err != nil && ctx.Err() == nil {
			fmt.Fprintln(messages, err)
		}
		outEnds()
		messagesEnd()
		return err
	}}
	if err := svc.Run(Name, h); err != nil {
		return fmt.Errorf("only Windows starts the service; `doctor watch install` makes it: %w", err)
	}
	return h.err
}

// events is a file whose lines become events, until the function that comes with it is called.
func events(write func(id uint32, text string) error) (*os.File, func()) {
	r, w, err := os.Pipe()
	if err != nil {
		return nil, func() {} // writes to a nil file fail, and nobody is there to hear of it
	}
	var copying sync.WaitGroup
	copying.Go(func() {
		defer r.Close()
		lines := bufio.NewScanner(r)
		for lines.Scan() {
			_ = write(eventID, lines.Text()) // a full or stopped event log is no reason to end
		}
	})
	return w, func() {
		w.Close()
		copying.Wait()
	}
}

// handler answers the service control manager.
type handler struct {
	run func(context.Context) error
	err error
}

// Execute implements svc.Handler.
func (h *handler) Execute(_ []string, requests <-chan svc.ChangeRequest, status chan<- svc.Status) (bool, uint32) {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	ended := make(chan error, 1)
	go func() { ended <- h.run(ctx) }()
	status <- svc.Status{State: svc.Running, Accepts: svc.AcceptStop | svc.AcceptShutdown}
	for {
		select {
		case r := <-requests:
			switch r.Cmd {
			case svc.Interrogate:
				status <- r.CurrentStatus
			case svc.Stop, svc.Shutdown:
				status <- svc.Status{State: svc.StopPending, WaitHint: uint32(stopWithin.Milliseconds())}
				cancel()
			}
		case err := <-ended:
			if err != nil && ctx.Err() == nil { // the manager starts it again
				h.err = err
				return true, 1
			}
			return false, 0
		}
	}
}
